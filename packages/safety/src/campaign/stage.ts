/** The servers and proxies of a run, which its epochs share. */
import { type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { clusterSite } from '../site/cluster.js';
import { majoritySite } from '../site/majority.js';
import { sentinelSite } from '../site/sentinel.js';
import { ServerClock } from '../site/server-clock.js';
import { singleSite } from '../site/single.js';
import type { Site, Topology } from '../site/site.js';
import type { Scene } from './epoch.js';
import { Network } from './network.js';
import type { WorkerFiles } from './seat.js';

/** Where things are that a run needs. */
export interface Places {
  readonly workerFiles: WorkerFiles;
  readonly judgeFile: string;
  readonly clockShim: string;
  /** Histories. */
  readonly scratch: string;
  readonly commit: string;
}

const seats = 4;
const clientsPerSeat = 5;

function openSite(topology: Topology, places: Places): Promise<Site> {
  if (topology === 'sentinel') return sentinelSite();
  if (topology === 'cluster') return clusterSite();
  if (topology === 'majority') return majoritySite();
  return singleSite(ServerClock.make({ file: places.clockShim }));
}

export class Stage {
  readonly scene: Scene;
  readonly #network: Network;
  readonly #guard: RedisServer;

  private constructor(site: Site, network: Network, guard: RedisServer, workerFiles: WorkerFiles) {
    this.#network = network;
    this.#guard = guard;
    this.scene = { site, network, guard: { host: guard.host, port: guard.port }, workerFiles };
  }

  static async open(topology: Topology, places: Places): Promise<Stage> {
    const guard = await startPrivateRedis({ args: [] });
    const site = await openSite(topology, places);
    const network = await Network.open(site, seats, clientsPerSeat);
    return new Stage(site, network, guard, places.workerFiles);
  }

  /** Forgets what was guarded. */
  async clear(): Promise<void> {
    await (await this.#guard.admin()).flushall();
  }

  async close(): Promise<void> {
    await this.#network.close();
    await this.scene.site.stop();
    await this.#guard.stop();
  }
}
