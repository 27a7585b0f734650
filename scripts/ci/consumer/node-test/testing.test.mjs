import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LockClient } from 'holdfast';
import { createTestClient } from 'holdfast/testing';

void test('work stops when its lock is lost', async () => {
  const locks = createTestClient();
  assert.ok(locks instanceof LockClient);
  const work = locks.getLock('import').withLock(async (hold) => {
    await locks.lose('import', 'deleted');
    hold.assertHeld();
  });
  await assert.rejects(work, { code: 'LOCK_LOST', reason: 'deleted' });
  await locks.close();
});
