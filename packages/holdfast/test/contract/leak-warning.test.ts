import { useRedis } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();

const setUp = () => {
  const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
  kit.cleanup(() => warn.mockRestore());
  return { client: openClient(kit), warn };
};

const leaveOpen = (client: LockClient, name: string) => client.run(() => client.getLock(name).lock());

describe('a lock that its scope left open', () => {
  it('is warned of once, with the call that took it, when nobody listens', async () => {
    const { client, warn } = setUp();
    const name = freshName();
    await leaveOpen(client, name);
    await leaveOpen(client, freshName());
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining(`"${name}"`),
        expect.objectContaining({ code: 'HOLDFAST_LEAK', detail: expect.stringMatching(/leak-warning\.test\.ts/) }),
      ],
    ]);
  });

  it('is told to who listens, without a warning', async () => {
    const { client, warn } = setUp();
    const leaks: string[] = [];
    client.on('leak', ({ name }) => leaks.push(name));
    const name = freshName();
    await leaveOpen(client, name);
    expect([leaks, warn.mock.calls]).toEqual([[name], []]);
  });
});
