// What every way of loading the package has to show: it is loaded, errors have their names, a client is a LockClient.
const assert = require('node:assert/strict');
const { inspect } = require('node:util');
const { Redis } = require('ioredis');
const { scenario } = require('./scenario.cjs');

const errorNames = [
  'LockClientClosedError',
  'LockLimitError',
  'LockLostError',
  'LockNodesError',
  'LockNotHeldError',
  'LockNotReplicatedError',
  'LockRefusedError',
  'LockScopeError',
  'LockTimeoutError',
  'LockUnavailableError',
];

/** @param {typeof import('holdfast')} holdfast */
function checkNames(holdfast) {
  for (const name of errorNames) assert.equal(holdfast[name].name, name);
  const error = new holdfast.LockTimeoutError('invoice:42', 100);
  assert.equal(error.name, 'LockTimeoutError');
  assert.equal(error.constructor.name, 'LockTimeoutError');
  assert.match(String(error), /^LockTimeoutError: /);
  assert.match(error.stack, /^LockTimeoutError: /);
  assert.match(inspect(error), /^LockTimeoutError: /);
}

/** @param {typeof import('holdfast')} holdfast */
exports.check = async function check(holdfast) {
  checkNames(holdfast);
  const redis = new Redis(process.env.REDIS_URL);
  try {
    const client = holdfast.createLockClient({ redis });
    assert.ok(client instanceof holdfast.LockClient);
    assert.equal(client.constructor, holdfast.LockClient);
    await client.close();
    await scenario(holdfast, redis);
  } finally {
    redis.disconnect();
  }
};
