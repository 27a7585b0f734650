import { describe } from '@jest/globals';
import { exclusiveContract } from './exclusive.js';
import { exclusivePrimitives } from './primitive.js';
import { memoryWorld } from './memory-world.js';
import { wakeups } from './world.js';

const world = memoryWorld();

describe.each(exclusivePrimitives)('$factory', (primitive) => {
  describe.each(wakeups)(`${world.title}, woken up by way of the %s`, (wakeup) => {
    exclusiveContract(primitive, world, wakeup);
  });
});
