/** What a lease that ends is said to have ended by, where its renewals were sent again and again. */
import type { Renewal } from '@holdfast/watchdog';
import { expect, it } from '@jest/globals';
import type { CommandSender } from '../src/connection/command-sender.js';
import type { RequestSource } from '../src/connection/pending-command.js';
import type { Topology } from '../src/connection/topology.js';
import type { Operations } from '../src/tenure/operations.js';
import { type LeaseSubject, Renewals } from '../src/tenure/renewals.js';
import type { ServerClock } from '../src/tenure/server-clock.js';

/** What is known to have been refused after these answers, in this order, and then none. */
async function refusalAfter(...answers: string[]): Promise<string | undefined> {
  const sender = {
    answer: async (_key: string, source: RequestSource<unknown>) => {
      for (const answer of answers) source.onSetback?.(new Error(answer));
      return { kind: 'silent', error: undefined };
    },
  } as unknown as CommandSender;
  const renewals = new Renewals({} as Topology, sender, {} as ServerClock, () => undefined);
  const operations = { key: 'it' } as Operations;
  const subject: LeaseSubject = { id: 'me', operations, lease: { remainingMs: () => 1 }, refusal: undefined };
  await renewals.renew([{ subject, leaseMs: 3_000 } as unknown as Renewal<LeaseSubject>], 3_000);
  return subject.refusal?.message;
}

it('a server that is busy has refused them', async () => {
  expect(await refusalAfter('BUSY Redis is busy')).toBe('BUSY Redis is busy');
});

it.each(['MOVED 1 host:6379', 'ASK 1 host:6379'])(
  'one that answers %s has not, nor has whoever did so before',
  async (answer) => {
    expect(await refusalAfter('CLUSTERDOWN Hash slot not served', answer)).toBeUndefined();
  },
);
