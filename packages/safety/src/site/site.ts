/** The servers of a run, whatever their topology: what workers, nemeses and gates have to know of them. */
import type { FaultProxy, RedisServer } from '@holdfast/testkit';
import type { Cluster, Redis } from 'ioredis';
import type { AppendOnly } from './append-only.js';
import { WORKER_USER } from './reach.js';
import type { Reach } from './reach.js';
import type { ServerClock } from './server-clock.js';

export type Topology = Reach['kind'];
export const topologies: readonly Topology[] = ['single', 'sentinel', 'cluster', 'majority'];

/** A server and the proxy through which one client sees it. */
export type Fronts = ReadonlyMap<RedisServer, FaultProxy>;

export interface Site {
  readonly kind: Topology;
  /** The servers that keep data. */
  readonly nodes: readonly RedisServer[];
  /** Its clock can be set; undefined where it cannot. */
  readonly clock: ServerClock | undefined;
  /** Of each server that keeps data; none where servers forget on purpose. */
  readonly appendOnly: readonly AppendOnly[];
  /** Those that take writes now. */
  masters(): Promise<readonly RedisServer[]>;
  /** How a client gets there through its proxies. */
  reach(fronts: Fronts): Reach;
  /** A client of our own, past all proxies. */
  connect(): Redis | Cluster;
  /** After which silence a server is taken for dead; a single one never is. */
  readonly setPatience?: (ms: number) => Promise<void>;
  /** An orderly change of masters, where there is one. Resolves when it is over. */
  readonly failover?: (lock: string) => Promise<void>;
  /** Kills the master of a lock; it comes back later, as a replica. Resolves when another has taken over and all is well again. */
  readonly killMaster?: (lock: string) => Promise<void>;
  /** Moves the slot of a lock to another master. */
  readonly moveSlot?: (lock: string) => Promise<void>;
  /** Resolves when all servers are well again. */
  whenReady(): Promise<void>;
  stop(): Promise<void>;
}

/** A server that says BUSY early makes short scripts count as busy ones. */
export const serverArgs: readonly string[] = ['--busy-reply-threshold', '50'];

/**
 * Makes the user of the workers, or gives it back all that was taken from it. Not an argument of the server: Sentinel has servers write
 * their users into their files, and none may be there twice.
 */
export async function admitWorkers(nodes: readonly RedisServer[]): Promise<void> {
  for (const node of nodes) {
    await (await node.admin()).call('ACL', 'SETUSER', WORKER_USER, 'on', 'nopass', '~*', '&*', '+@all');
  }
}

/** Takes back what was done to servers, and resolves when they are well. */
export async function restoreServers(site: Site): Promise<void> {
  for (const node of site.nodes) await node.continueProcess();
  await site.whenReady();
  await admitWorkers(site.nodes);
  for (const node of site.nodes) {
    const admin = await node.admin();
    await admin.call('CLIENT', 'UNPAUSE');
    await admin.config('SET', 'maxmemory', '0');
  }
}
