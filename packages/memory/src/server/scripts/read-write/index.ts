/** The scripts of the read-write lock, by the names that `@holdfast/core` gives them. */

import type { ScriptBody } from '../lua.js';
import { ask } from './ask.js';
import { downgrade, raise, renew } from './held.js';
import { inspect } from './inspect.js';
import { cancel, release } from './leave.js';
import { force, peek, serve } from './whole.js';

export const readWriteBodies: Readonly<Record<string, ScriptBody>> = {
  'read-write/ask': ask,
  'read-write/cancel': cancel,
  'read-write/downgrade': downgrade,
  'read-write/force': force,
  'read-write/inspect': inspect,
  'read-write/peek': peek,
  'read-write/raise': raise,
  'read-write/release': release,
  'read-write/renew': renew,
  'read-write/serve': serve,
};
