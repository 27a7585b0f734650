const assert = require('node:assert/strict');
const { randomUUID } = require('node:crypto');

/** A lock is had once; the errors are those of the package; and the process ends when its client has been closed. */
exports.lockedTwice = async ({ Redlock, ExecutionError, ResourceLockedError }, redis) => {
  const redlock = new Redlock([redis], { retryCount: 0 });
  const name = `smoke:${randomUUID()}`;
  const refused = await redlock.using([name], 5_000, () => redlock.acquire([name], 5_000).catch((error) => error));
  assert.ok(refused instanceof ExecutionError);
  const [{ votesAgainst }] = await Promise.all(refused.attempts);
  assert.ok(votesAgainst.get(redis) instanceof ResourceLockedError);
  await (await redlock.acquire([name], 5_000)).release();
  await redis.quit();
};
