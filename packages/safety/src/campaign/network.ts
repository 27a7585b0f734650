/** Every lock client of a run has proxies of its own, one in front of each server, so that each can be cut off alone. */
import { type FaultProxy, faultProxy, type RedisServer } from '@holdfast/testkit';
import type { Path } from '../faults/nemesis.js';
import type { Reach } from '../site/reach.js';
import type { Site } from '../site/site.js';

/** The path of one client. */
export interface ClientPath extends Path {
  readonly reach: Reach;
}

async function openPath(site: Site): Promise<ClientPath> {
  const fronts = new Map<RedisServer, FaultProxy>();
  for (const node of site.nodes) fronts.set(node, await faultProxy({ target: node }));
  return { proxies: [...fronts.values()], reach: site.reach(fronts) };
}

export class Network {
  /** By seat, then by client. */
  readonly seats: readonly (readonly ClientPath[])[];

  private constructor(seats: readonly (readonly ClientPath[])[]) {
    this.seats = seats;
  }

  static async open(site: Site, seats: number, clients: number): Promise<Network> {
    const open = () => Promise.all(Array.from({ length: clients }, () => openPath(site)));
    return new Network(await Promise.all(Array.from({ length: seats }, open)));
  }

  get paths(): readonly ClientPath[] {
    return this.seats.flat();
  }

  /** Ends all faults. */
  async heal(): Promise<void> {
    await Promise.all(
      this.paths.flatMap(({ proxies }) =>
        proxies.map((proxy) => {
          proxy.delay(0);
          return proxy.heal();
        }),
      ),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.paths.flatMap(({ proxies }) => proxies.map((proxy) => proxy.close())));
  }
}
