import { describe } from '@jest/globals';
import { exclusiveContract } from './exclusive.js';
import { exclusivePrimitives, modesOf } from './primitive.js';
import { serverWorld } from './server-world.js';
import type { Wakeup } from './world.js';

/**
 * The contract of every exclusive lock on a real server, where it is woken up in one of these ways. Most of it is waiting for real leases: a
 * file for each way lets them wait side by side.
 */
export function contractOnAServer(ways: readonly Wakeup[]): void {
  const world = serverWorld();
  const tried = exclusivePrimitives
    .map((primitive) => ({ primitive, modes: modesOf(primitive).filter((mode) => ways.includes(mode)) }))
    .filter(({ modes }) => modes.length > 0);
  describe.each(tried.map((one) => ({ ...one, factory: one.primitive.factory })))(
    '$factory',
    ({ primitive, modes }) => {
      describe.each(modes)(`${world.title}, woken up by way of the %s`, (wakeup) => {
        exclusiveContract(primitive, world, wakeup);
      });
    },
  );
}
