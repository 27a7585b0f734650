// A process can hold both builds, when one dependency imports holdfast and another requires it. Scopes have to go through both.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import * as esm from 'holdfast';

const cjs = createRequire(import.meta.url)('holdfast');
assert.notEqual(esm.createLockClient, cjs.createLockClient, 'the builds are two copies, else this shows nothing');

const redis = process.env.REDIS_URL;
const one = esm.createLockClient({ redis });
const other = cjs.createLockClient({ redis });
const lock = one.getLock(`smoke:${randomUUID()}`);
const otherLock = other.getLock(`smoke:${randomUUID()}`);

await lock.withLock(() =>
  otherLock.withLock(() =>
    lock.withLock(() =>
      otherLock.withLock(async () => {
        assert.equal(await lock.getHoldCount(), 2, 're-entered through a scope of the other build');
        assert.equal(await otherLock.getHoldCount(), 2, 're-entered through a scope of the other build');
      }),
    ),
  ),
);

await lock.withLock(async () => {
  const inside = await other.exit(() => lock.tryWithLock({ waitMs: 0 }, () => undefined));
  assert.equal(inside.ran, false, 'exit of one build leaves the scopes of the other as well');
});

await one.close();
await other.close();
