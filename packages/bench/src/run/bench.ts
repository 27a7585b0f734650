import { type FaultProxy, faultProxy, type RedisServer, startPrivateRedis } from '@holdfast/testkit';
import { type CommandTotals, serverUsage, usedBetween } from '../measure/server-usage.js';
import type { Peer } from '../peers/peer.js';
import type { Programs } from '../programs/program.js';
import type { Use } from '../worker/messages.js';
import { StalledError } from './stalled-error.js';
import { type BenchWorker, WorkerTeam } from './worker-team.js';

/** How a peer is to connect, where it differs from the ordinary. */
export interface Connection {
  readonly pipelining?: 'plain' | 'auto';
  readonly leaseMs?: number;
  /** Through a proxy that delays; absent: straight to the server. */
  readonly roundTripMs?: number;
}

/** How long the parts of a run take, in ms. */
export interface Pace {
  readonly roundMs: number;
  /** At most, for each peer in each process. */
  readonly warmUpMs: number;
  /** Lease of the locks that are held and renewed; they are watched for as long. */
  readonly renewedLeaseMs: number;
}

/** For connecting, and for calls that are under way when a warm-up ends. */
const WARM_UP_GRACE_MS = 14_000;
/** Eight JVMs at once, with two cores, have been seen to take 30 s to connect: they compile. */
const WARM_UP_GRACE_ABROAD_MS = 90_000;

/** What a workload measures with: one server, processes, names that nobody has used. */
export class Bench {
  readonly team: WorkerTeam;
  readonly pace: Pace;
  readonly #server: RedisServer;
  readonly #others: Promise<RedisServer>[] = [];
  readonly #proxies = new Map<number, Promise<FaultProxy>>();
  readonly #stalled = new Set<string>();
  #names = 0;

  constructor(server: RedisServer, pace: Pace, programs: Programs) {
    this.#server = server;
    this.pace = pace;
    this.team = new WorkerTeam(programs);
  }

  get roundMs(): number {
    return this.pace.roundMs;
  }

  /** Processes of its own for a peer that runs in one; where many are needed the peers take turns in the same ones, except those that have stalled. */
  seats(peer: Peer, processes: number): string[] {
    if (processes === 1) return [`of ${peer.name}`];
    const owner = this.#stalled.has(peer.name) ? peer.name : `all in ${peer.runsIn ?? 'Node'}`;
    return Array.from({ length: processes }, (_, process) => `${process} of ${owner}`);
  }

  /** The processes in these seats. */
  workers(peer: Peer, seats: readonly string[]): Promise<BenchWorker[]> {
    return Promise.all(seats.map((seat) => this.team.seat(seat, peer.runsIn)));
  }

  /** A process of the peer's own, and another in which it holds what the first one wants. */
  async pair(peer: Peer): Promise<{ seats: readonly string[]; own: BenchWorker; holder: BenchWorker }> {
    const seats = [`of ${peer.name}`, `holder of ${peer.name}`] as const;
    const [own, holder] = await Promise.all([
      this.team.seat(seats[0], peer.runsIn),
      this.team.seat(seats[1], peer.runsIn),
    ]);
    return { seats, own, holder };
  }

  freshName(): string {
    return `bench:${++this.#names}`;
  }

  async use(peer: Peer, { pipelining = 'plain', leaseMs = 30_000, roundTripMs }: Connection = {}): Promise<Use> {
    const url = roundTripMs === undefined ? this.#server.url : (await this.#proxy(roundTripMs)).url;
    const others = await this.#further((peer.servers ?? 1) - 1);
    return { peer: peer.name, url, others, pipelining, leaseMs };
  }

  /**
   * Connects these processes, and lets V8 compile what it will.
   *
   * @throws StalledError
   */
  async warmUp(
    team: { peer: Peer; seats: readonly string[] },
    workers: readonly BenchWorker[],
    use: Use,
  ): Promise<void> {
    const { warmUpMs } = this.pace;
    const competes = workers.length > 1;
    const warming = workers.map((worker) =>
      worker.call('warmUp', use, { name: this.freshName(), limitMs: warmUpMs, competes }),
    );
    const graceMs = team.peer.runsIn === undefined ? WARM_UP_GRACE_MS : WARM_UP_GRACE_ABROAD_MS;
    await this.within(warmUpMs + graceMs, team, Promise.all(warming));
  }

  /** What `body` resolves to, and what the server did meanwhile. */
  async usingServer<T>(body: () => Promise<T>): Promise<{ result: T; redisCpuUs: number; executed: CommandTotals }> {
    const admin = await this.#server.admin();
    const before = await serverUsage(admin);
    const result = await body();
    const { cpuUs, commands } = usedBetween(before, await serverUsage(admin));
    return { result, redisCpuUs: cpuUs, executed: commands };
  }

  /**
   * What `body` resolves to, unless that takes too long: then the processes in these seats end.
   *
   * @throws StalledError
   */
  async within<T>(
    limitMs: number,
    { peer, seats }: { peer: Peer; seats: readonly string[] },
    body: Promise<T>,
  ): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      const error = new StalledError(limitMs);
      timer = setTimeout(() => reject(error), limitMs);
    });
    try {
      return await Promise.race([body, limit]);
    } catch (error) {
      this.#stalled.add(peer.name);
      await this.team.clear(seats);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.team.stop();
    for (const proxy of this.#proxies.values()) await (await proxy).close();
    for (const other of this.#others) await (await other).stop();
  }

  /** Where so many servers are, beside the one that all use. */
  async #further(count: number): Promise<readonly string[]> {
    while (this.#others.length < count) this.#others.push(startPrivateRedis());
    const servers = await Promise.all(this.#others.slice(0, count));
    return servers.map(({ url }) => url);
  }

  #proxy(roundTripMs: number): Promise<FaultProxy> {
    let proxy = this.#proxies.get(roundTripMs);
    if (proxy === undefined) {
      proxy = faultProxy({ target: this.#server });
      void proxy.then((made) => made.delay(roundTripMs / 2));
      this.#proxies.set(roundTripMs, proxy);
    }
    return proxy;
  }
}
