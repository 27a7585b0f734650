import type { Moment } from '../result.js';

/** The objects of all processes together, at a moment that counted them. */
export const objectsAt = ({ processes }: Moment): number =>
  processes.reduce((sum, { objects = 0 }) => sum + objects, 0);
