/** Libraries of other languages. What they do is in `interop/src/main/java/holdfast/bench`. */

import type { Language } from '../programs/program.js';
import type { Peer } from './peer.js';

interface Abroad extends Pick<Peer, 'name' | 'package' | 'settings'> {
  readonly kind: 'lock' | 'floor';
  readonly runsIn: Language;
  readonly floor?: string;
}

const peerOf = (traits: Abroad): Peer => ({
  ...{ ...traits, renews: false, reenters: false }, // of no matter in the workloads that they have a part in
  connect: () => Promise.reject(new Error(`${traits.name} does not run in Node`)),
});

const redisson = { package: 'org.redisson:redisson', runsIn: 'java', floor: 'floor: SET NX, Redisson' } as const;

export const abroad: readonly Peer[] = [
  peerOf({ ...redisson, name: 'RLock', kind: 'lock', settings: '`getLock`, renewed' }),
  peerOf({ ...redisson, name: 'RFairLock', kind: 'lock', settings: '`getFairLock`, renewed' }),
  peerOf({ ...redisson, name: 'RSpinLock', kind: 'lock', settings: '`getSpinLock`, renewed' }),
  peerOf({ ...redisson, name: redisson.floor, kind: 'floor', settings: '`setIfAbsent`, then as *SET NX*' }),
];
