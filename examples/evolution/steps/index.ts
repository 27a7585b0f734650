import type { Step } from '../stage.js';
import { step as first } from './01-setnx-expire.js';
import { step as second } from './02-client-timestamp.js';
import { step as third } from './03-one-script.js';
import { step as fourth } from './04-owned.js';
import { step as fifth } from './05-watchdog.js';
import { step as sixth } from './06-local-counts.js';
import { step as seventh } from './07-reentrant.js';
import { step as eighth } from './08-spin.js';
import { step as ninth } from './09-notified.js';
import { step as tenth } from './10-redisson.js';
import { step as eleventh } from './11-redlock.js';

/** In the order in which the systems grew out of each other. */
export const steps: readonly Step[] = [
  first,
  second,
  third,
  fourth,
  fifth,
  sixth,
  seventh,
  eighth,
  ninth,
  tenth,
  eleventh,
];
