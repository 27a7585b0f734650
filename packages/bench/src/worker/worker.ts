/** The process in which a peer runs. Bundled before it is started, as what users install is; see `scripts/bench.mjs`. */
import { setTimeout } from 'node:timers/promises';
import { serveWorker } from '@holdfast/testkit';
import { now } from '../measure/clock.js';
import type { PeerClient } from '../peers/peer.js';
import { peerNamed } from '../peers/roster.js';
import { Crowd } from './crowd.js';
import { Held } from './held.js';
import { attempts, loop, warmUp, warmUpAgainst } from './loop.js';
import type { LoopOrder, Resources, StampedeOrder, Use, WarmUpOrder } from './messages.js';
import { RoundTrips } from './round-trips.js';
import { watchResources } from './resources.js';
import { stampede } from './stampede.js';

const clients = new Map<string, Promise<PeerClient>>();
const warm = new Set<string>();
const held = new Held();
let crowd = new Crowd();
const lines = new Map<string, RoundTrips>();

function clientOf(use: Use): Promise<PeerClient> {
  const key = JSON.stringify(use);
  let client = clients.get(key);
  if (client === undefined) clients.set(key, (client = peerNamed(use.peer).connect(use)));
  return client;
}

function lineTo(url: string): RoundTrips {
  let line = lines.get(url);
  if (line === undefined) lines.set(url, (line = new RoundTrips(url)));
  return line;
}

export const methods = {
  /** Connects, and lets V8 compile what there is to compile, once for each peer. */
  warmUp: async (use: Use, { name, limitMs, competes }: WarmUpOrder): Promise<void> => {
    const client = await clientOf(use);
    if (warm.has(use.peer)) return;
    warm.add(use.peer);
    const share = competes ? limitMs / 2 : limitMs;
    await warmUp(client, name, share);
    if (competes) await warmUpAgainst([client, await peerNamed(use.peer).connect(use)], `${name}:wanted`, share);
  },
  loop: async (use: Use, order: LoopOrder) =>
    loop(await clientOf(use), order, order.roundTrips === undefined ? undefined : lineTo(use.url)),
  attempts: async (use: Use, order: LoopOrder) => attempts(await clientOf(use), order),
  /** Takes locks `name:0`, `name:1`… and keeps them. */
  hold: async (use: Use, name: string, count: number) => held.take(await clientOf(use), name, count),
  giveBack: async (): Promise<number> => {
    const leftAt = now();
    await held.giveBack();
    return leftAt;
  },
  /** What the process uses while it only waits and renews. */
  observe: async (ms: number): Promise<Resources> => {
    const resources = watchResources();
    await setTimeout(ms);
    return resources();
  },
  gather: async (use: Use, name: string, count: number) => {
    crowd = new Crowd();
    return crowd.gather(await clientOf(use), name, count);
  },
  stampede: async (use: Use, order: StampedeOrder) => stampede(await clientOf(use), order),
  served: (freedAt: number) => crowd.served(freedAt),
};

serveWorker({ methods });
