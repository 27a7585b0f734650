/**
 * A process that is started for one window of calls. Bundled before it is started; `holdfast` is not in the bundle but loaded as users load it, see
 * `scripts/bench.mjs`. Nobody else is loaded: what V8 has read of them would be in the way.
 */
import { entries } from '../peers/entries.js';
import { floorSet } from '../peers/floor-set.js';
import { holdfast } from '../peers/holdfast.js';
import { answer } from './answer.js';
import type { WindowOrder } from './messages.js';
import { measureWindow } from './window.js';

await answer(async (given) => {
  const order = given as WindowOrder;
  const peer = [holdfast, floorSet, ...entries].find(({ name }) => name === order.use.peer);
  if (peer === undefined) throw new RangeError(`${order.use.peer} is not here`);
  return measureWindow(await peer.connect(order.use), order);
});
