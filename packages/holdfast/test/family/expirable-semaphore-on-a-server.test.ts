import { describe } from '@jest/globals';
import { expirableSemaphoreContract } from './expirable-semaphore.js';
import { serverWorld } from './server-world.js';
import { wakeups } from './world.js';

const world = serverWorld();

describe.each(wakeups)(`permits with ids ${world.title}, woken up by way of the %s`, (wakeup) => {
  expirableSemaphoreContract(world, wakeup);
});
