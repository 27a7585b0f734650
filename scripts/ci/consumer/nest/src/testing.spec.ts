import { Inject, Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { LockClient } from 'holdfast';
import { createTestClient } from 'holdfast/testing';

@Injectable()
class Accounts {
  constructor(@Inject(LockClient) private readonly locks: LockClient) {}

  async settle(): Promise<boolean> {
    return (await this.locks.getLock('accounts').tryWithLock(() => 'settled')).ran;
  }
}

test('accounts are not settled while another process does it', async () => {
  const locks = createTestClient();
  const app = await Test.createTestingModule({
    providers: [{ provide: LockClient, useValue: locks }, Accounts],
  }).compile();
  const other = await locks.busy('accounts');
  await expect(app.get(Accounts).settle()).resolves.toBe(false);
  await other.free();
  await expect(app.get(Accounts).settle()).resolves.toBe(true);
  await locks.close();
});
