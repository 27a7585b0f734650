import { describe } from '@jest/globals';
import { memoryWorld } from './memory-world.js';
import { circleContract } from './circles.js';
import { readWriteContract } from './read-write.js';
import { wakeups } from './world.js';

const world = memoryWorld();

describe.each(wakeups)(`a read-write lock ${world.title}, woken up by way of the %s`, (wakeup) => {
  readWriteContract(world, wakeup);
  circleContract(world, wakeup);
});
