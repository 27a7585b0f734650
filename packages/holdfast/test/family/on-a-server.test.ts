import { describe } from '@jest/globals';
import { exclusiveContract } from './exclusive.js';
import { exclusivePrimitives } from './primitive.js';
import { serverWorld } from './server-world.js';
import { wakeups } from './world.js';

const world = serverWorld();

describe.each(exclusivePrimitives)('$factory', (primitive) => {
  describe.each(wakeups)(`${world.title}, woken up by way of the %s`, (wakeup) => {
    exclusiveContract(primitive, world, wakeup);
  });
});
