import { describe } from '@jest/globals';
import { expirableSemaphoreContract } from './expirable-semaphore.js';
import { memoryWorld } from './memory-world.js';
import { wakeups } from './world.js';

const world = memoryWorld();

describe.each(wakeups)(`permits with ids ${world.title}, woken up by way of the %s`, (wakeup) => {
  expirableSemaphoreContract(world, wakeup);
});
