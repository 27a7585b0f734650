import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import * as holdfast from 'holdfast';
import { createLockClient, LockClient } from 'holdfast';
import { check } from '../../checks.cjs';

@Injectable()
class Invoices {
  constructor(readonly locks: LockClient) {}
}

const providers = [
  { provide: LockClient, useFactory: () => createLockClient({ redis: process.env.REDIS_URL ?? '' }) },
  Invoices,
];

test("a project on Nest's default Jest settings takes a lock", () => check(holdfast));

test('LockClient is a token that Nest injects by its type', async () => {
  const app = await Test.createTestingModule({ providers }).compile();
  const { locks } = app.get(Invoices);
  expect(locks).toBeInstanceOf(LockClient);
  expect(app.get(LockClient)).toBe(locks);
  await expect(locks.getLock('invoice').withLock(() => 'paid')).resolves.toBe('paid');
  await locks.close();
});
