import { describe } from '@jest/globals';
import { exclusiveContract } from './exclusive.js';
import { exclusivePrimitives, modesOf } from './primitive.js';
import { serverWorld } from './server-world.js';

const world = serverWorld();

describe.each(exclusivePrimitives)('$factory', (primitive) => {
  describe.each(modesOf(primitive))(`${world.title}, woken up by way of the %s`, (wakeup) => {
    exclusiveContract(primitive, world, wakeup);
  });
});
