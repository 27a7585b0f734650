import { describe, expect, it } from '@jest/globals';
import { MOST_IN_ONE } from '../src/connection/joint-copies.js';
import type { Member } from '../src/primitives/member.js';
import { MembersAhead } from '../src/primitives/members-ahead.js';

const LEASE_MS = 30_000;

/** Members of one client, none of which is in use, and how many stakes are opened for them. */
function free(count: number) {
  const opened: unknown[] = [];
  const stake = { ask: () => undefined, cancel: () => undefined, forget: () => undefined };
  const sender = { together: (work: () => unknown) => work(), behind: (_: string, work: () => unknown) => work() };
  const openStake = (operations: unknown) => (opened.push(operations), stake);
  const terms = { mode: 'watched', leaseMs: LEASE_MS };
  const host = {
    terms,
    parts: { sender, openStake, settings: {} },
    registry: { find: () => undefined },
  };
  const members = Array.from({ length: count }, (_, index) => ({
    host,
    operations: { key: `${index}`, primitive: 'lock', mayFollow: true },
  }));
  return { opened, members: members as unknown as readonly Member[] };
}

describe('the members that are asked for behind one', () => {
  it('are as many as leave in one command with it, however many there are', async () => {
    const { opened, members } = free(1_000);
    const ahead = new MembersAhead(members, {} as never);
    await ahead.take(members[0] as Member, () => Promise.resolve());
    expect(opened).toHaveLength(MOST_IN_ONE - 1);
  });

  it('are all the rest, when those are fewer', async () => {
    const { opened, members } = free(5);
    await new MembersAhead(members, {} as never).take(members[2] as Member, () => Promise.resolve());
    expect(opened).toEqual([members[3]?.operations, members[4]?.operations]);
  });

  it.each([
    [LEASE_MS, 4],
    [LEASE_MS + 1, 0],
  ])('with a minimum of %d ms are %d: none whose answer comes before the first is had', async (minHoldMs, count) => {
    const { opened, members } = free(5);
    await new MembersAhead(members, { minHoldMs } as never).take(members[0] as Member, () => Promise.resolve());
    expect(opened).toHaveLength(count);
  });
});
