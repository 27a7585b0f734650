/** As `start.esm.program.ts`, by `require`. */
import { answer } from './answer.js';
import { firstLock } from './first-lock.js';
import type { StartOrder } from './messages.js';

void answer((order) => firstLock(order as StartOrder, (name) => require(name)));
