// What every consumer does, whatever it is written in.
const assert = require('node:assert/strict');
const { randomUUID } = require('node:crypto');

/**
 * @param {Pick<typeof import('holdfast'), 'createLockClient' | 'LockNotHeldError'>} holdfast
 * @param {import('ioredis').Redis} redis
 */
exports.scenario = async function scenario({ createLockClient, LockNotHeldError }, redis) {
  const name = `smoke:${randomUUID()}`;
  const client = createLockClient({ redis });
  const rival = createLockClient({ redis: process.env.REDIS_URL });
  const lock = client.getLock(name);

  const value = await lock.withLock(async (hold) => {
    assert.equal(hold.state, 'held');
    assert.equal(await rival.getLock(name).tryLock(), false);
    return client.getLock(name).withLock(() => 'inside twice');
  });
  assert.equal(value, 'inside twice');

  await client.run(async () => {
    await lock.lock();
    assert.equal(await lock.tryLock(1_000, 5_000), true);
    assert.equal(await lock.getHoldCount(), 2);
    await lock.unlock();
    await lock.unlock();
  });
  assert.equal(await lock.isLocked(), false);
  await assert.rejects(lock.unlock(), LockNotHeldError);

  assert.equal(await rival.getLock(name).tryLock(1_000), true);
  await rival.getLock(name).forceUnlock();
  await rival.close();
  await client.close();
};
