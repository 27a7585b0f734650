/** A process that is started for its first lock, and loads by `import`. Nothing but this is in the bundle, see `scripts/bench.mjs`. */
import { answer } from './answer.js';
import { firstLock } from './first-lock.js';
import type { StartOrder } from './messages.js';

await answer((order) => firstLock(order as StartOrder, (name) => import(name)));
