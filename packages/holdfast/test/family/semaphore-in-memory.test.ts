import { describe } from '@jest/globals';
import { memoryWorld } from './memory-world.js';
import { semaphoreContract } from './semaphore.js';
import { wakeups } from './world.js';

const world = memoryWorld();

describe.each(wakeups)(`a semaphore ${world.title}, woken up by way of the %s`, (wakeup) => {
  semaphoreContract(world, wakeup);
});
