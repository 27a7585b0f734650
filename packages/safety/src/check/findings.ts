import type { Violation } from './violation.js';

/** A violation before the faults around it are looked up. */
export type Finding = Omit<Violation, 'faults'>;
