/** Stories at the ends of what can be counted, where random ones seldom come. */

import * as core from '@holdfast/core';
import { ELECTION_CHANNEL, FENCED_KEYS, fenced } from './fenced-story.js';
import { PERMITS_CHANNELS, PERMITS_KEYS } from './permits-story.js';
import { call, send, type Step } from './story.js';

/** One story. */
export interface Edge {
  readonly title: string;
  readonly story: readonly Step[];
  readonly keys: readonly string[];
  readonly channels: readonly string[];
}

const semaphore = core.semaphoreKeys('stock');
const lock = core.lockKeys('stock');

/** So many permits are counted exactly: as many again may be in use. */
const MOST_PERMITS = 2n ** 52n;
/** The last that Redis counts. */
const LAST = 2n ** 63n - 1n;

const added = (count: bigint, permits: number): Edge => ({
  title: `${permits} permits more than ${count}`,
  story: [
    send('set', semaphore.count, `${count}`),
    call(
      core.permits.count(semaphore, {
        ...{ change: { how: 'add', permits }, request: 'q:1', tombstoneMs: 60_000 },
        ...{ claimMs: 20_000, trust: true },
      }),
    ),
    call(core.permits.peek(semaphore)),
  ],
  keys: PERMITS_KEYS,
  channels: PERMITS_CHANNELS,
});

const minted = (counter: bigint): Edge => ({
  title: `tokens by count behind ${counter}`,
  story: [
    send('set', lock.tokenCounter, `${counter}`),
    fenced(
      call(
        core.ask(lock, {
          ...{ tenure: 'a:1', leaseMs: 40_000, freshMs: 30_000, ticket: 0, freshTtlMs: 50_000 },
          ...{ claimMs: 20_000, trust: true },
        }),
      ),
      'count',
    ),
  ],
  keys: FENCED_KEYS,
  channels: [ELECTION_CHANNEL],
});

/** All of them. */
export const edges: readonly Edge[] = [
  ...[MOST_PERMITS - 1n, MOST_PERMITS].flatMap((count) => [1, -1].map((permits) => added(count, permits))),
  ...[-MOST_PERMITS, 1n - MOST_PERMITS].map((count) => added(count, -1)),
  ...[2n ** 53n - 32n, 2n ** 53n - 1n, LAST - 32n, LAST - 31n, LAST, LAST + 1n].map(minted),
];
