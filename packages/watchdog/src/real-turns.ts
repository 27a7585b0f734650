import timers from 'node:timers';

/**
 * The real one, as it is when this is loaded: fake timers that a test installs later would keep locks from passing on, and sockets are read all the same.
 * jsdom has none.
 */
export const { setImmediate = timers.setImmediate } = globalThis as Partial<typeof globalThis>;
