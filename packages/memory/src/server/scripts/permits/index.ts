/** The scripts of the semaphore, by the names that `@holdfast/core` gives them. */

import type { ScriptBody } from '../lua.js';
import { ask } from './ask.js';
import { release, renew } from './held.js';
import { adopt, issue, takeback, until } from './ids.js';
import { count, inspect, peek, serve } from './whole.js';

export const permitsBodies: Readonly<Record<string, ScriptBody>> = {
  'permits/adopt': adopt,
  'permits/ask': ask,
  'permits/count': count,
  'permits/inspect': inspect,
  'permits/issue': issue,
  'permits/peek': peek,
  'permits/release': release,
  'permits/renew': renew,
  'permits/serve': serve,
  'permits/takeback': takeback,
  'permits/until': until,
};
