import { describe } from '@jest/globals';
import { exclusiveContract } from './exclusive.js';
import { exclusivePrimitives, modesOf } from './primitive.js';
import { memoryWorld } from './memory-world.js';

const world = memoryWorld();

describe.each(exclusivePrimitives)('$factory', (primitive) => {
  describe.each(modesOf(primitive))(`${world.title}, woken up by way of the %s`, (wakeup) => {
    exclusiveContract(primitive, world, wakeup);
  });
});
