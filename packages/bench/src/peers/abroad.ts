/** Libraries of other languages. What they do is in `interop/src/main/java/holdfast/bench` and `packages/bench/go`. */

import type { Language } from '../programs/program.js';
import type { Peer } from './peer.js';
import { POLL_JITTER_MS, POLL_MS } from './polling.js';

interface Abroad extends Pick<Peer, 'name' | 'package' | 'settings'> {
  readonly kind: 'lock' | 'sharing sibling' | 'floor';
  readonly runsIn: Language;
  readonly floor?: string;
}

const peerOf = (traits: Abroad): Peer => ({
  ...{ ...traits, renews: false, reenters: false }, // of no matter in the workloads that they have a part in
  connect: () => Promise.reject(new Error(`${traits.name} does not run in Node`)),
});

const redisson = { package: 'org.redisson:redisson', runsIn: 'java', floor: 'floor: SET NX, Redisson' } as const;

const goRedis = { package: 'github.com/redis/go-redis/v9', runsIn: 'go', floor: 'floor: SET NX, go-redis' } as const;
const rueidis = { package: 'github.com/redis/rueidis', runsIn: 'go', floor: 'floor: SET NX, rueidis' } as const;
const polls = `tries every ${POLL_MS} to ${POLL_MS + POLL_JITTER_MS} ms`;

export const rLock = peerOf({ ...redisson, name: 'RLock', kind: 'lock', settings: '`getLock`, renewed' });

export const rReadWriteLock = peerOf({
  ...{ ...redisson, name: 'RReadWriteLock', kind: 'sharing sibling' },
  settings: '`getReadWriteLock`, renewed; every twentieth call takes the write lock',
});

export const abroad: readonly Peer[] = [
  rLock,
  peerOf({ ...redisson, name: 'RFairLock', kind: 'lock', settings: '`getFairLock`, renewed' }),
  peerOf({ ...redisson, name: 'RSpinLock', kind: 'lock', settings: '`getSpinLock`, renewed' }),
  rReadWriteLock,
  peerOf({ ...redisson, name: redisson.floor, kind: 'floor', settings: '`setIfAbsent`, then as *SET NX*' }),
  peerOf({
    ...{ ...rueidis, name: 'rueidislock', kind: 'lock' },
    settings:
      '`WithContext`, `KeyMajority: 1`, renewed; without `NoLoopTracking`, with which waits of processes that began together stalled here more often',
  }),
  peerOf({ ...goRedis, name: 'redsync', package: 'github.com/go-redsync/redsync/v4', kind: 'lock', settings: polls }),
  peerOf({ ...goRedis, name: 'redislock', package: 'github.com/bsm/redislock', kind: 'lock', settings: polls }),
  peerOf({ ...goRedis, name: goRedis.floor, kind: 'floor', settings: '`SetNX`, then as *SET NX*' }),
  peerOf({ ...rueidis, name: rueidis.floor, kind: 'floor', settings: '`Set().Nx()`, then as *SET NX*' }),
];
