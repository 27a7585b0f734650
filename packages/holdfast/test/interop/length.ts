/** Whether there is time for all: `npm run interop` by itself, not within `.ci/run`. */
export const isLong = process.env['HOLDFAST_INTEROP_LONG'] !== undefined;
