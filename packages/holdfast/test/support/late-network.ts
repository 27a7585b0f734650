import { FaultProxy, type RedisKit, waitUntil } from '@holdfast/testkit';
import type { RedisInput } from 'holdfast';
import { Redis, type RedisOptions } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';

interface Target {
  host: string;
  port: number;
}

/** A client as users bring it: default options, so that ioredis sends unanswered commands again by itself. */
export interface DefaultClient {
  readonly title: string;
  open(kit: RedisKit, target: Target): RedisInput;
}

/** By which the connections of the client under test are told from others. It changes nothing in what ioredis does. */
const connectionName = 'under-test';

/** Both majors that users have, whichever of them the jest project calls `ioredis`. */
export const defaultClients: readonly DefaultClient[] = [
  { title: 'a default ioredis 6', make: (options: RedisOptions) => new Redis(options) },
  { title: 'a default ioredis 5', make: (options: RedisOptions) => new Redis5(options as object) as unknown as Redis },
].map(({ title, make }) => ({
  title,
  open: (kit, { host, port }) => {
    const redis = make({ host, port, connectionName });
    redis.on('error', () => undefined);
    kit.cleanup(() => redis.disconnect());
    return redis;
  },
}));

/**
 * The network between the client under test and its Redis, in which commands get stuck on an old path and arrive when
 * the client has long had its answer over a new one.
 *
 *     client -> entrance -+-> old path -> Redis      strand(): what is sent from now on gets stuck in here
 *                         +-------------> Redis      reroute(): the client is cut off, and connects this way
 *                                                    deliver(): what got stuck arrives; its replies reach nobody
 */
export class LateNetwork {
  readonly #kit: RedisKit;
  readonly #oldPath: FaultProxy;
  readonly #entrance: FaultProxy;
  /** Read for each new connection. */
  readonly #next: Target;
  #oldConnections: readonly string[] = [];

  private constructor(kit: RedisKit, oldPath: FaultProxy) {
    this.#kit = kit;
    this.#oldPath = oldPath;
    this.#next = { host: oldPath.host, port: oldPath.port };
    this.#entrance = new FaultProxy(this.#next);
  }

  /** Closed when the test has ended. */
  static async open(kit: RedisKit): Promise<LateNetwork> {
    const { host, port } = kit.server;
    const network = new LateNetwork(kit, new FaultProxy({ host, port }));
    kit.cleanup(() => network.#close());
    await network.#oldPath.listen();
    network.#next.port = network.#oldPath.port;
    await network.#entrance.listen();
    return network;
  }

  /** Where the client connects to. */
  get target(): Target {
    return { host: this.#entrance.host, port: this.#entrance.port };
  }

  async strand(): Promise<void> {
    this.#oldConnections = await this.#connections();
    this.#oldPath.hold('up');
  }

  /** Resolves when something got stuck. */
  async stuck(): Promise<void> {
    await waitUntil(() => this.#oldPath.heldBytes > 0, { what: 'a command to get stuck' });
  }

  /** New connections lead to `to`; those that exist break. */
  reroute(to: Target = this.#kit.server): void {
    Object.assign(this.#next, { host: to.host, port: to.port });
    this.#entrance.reset();
  }

  /** Resolves when Redis has executed what got stuck. */
  async deliver(): Promise<void> {
    if (this.#oldPath.heldBytes === 0) throw new Error('nothing got stuck');
    await this.#oldPath.heal();
    // Redis closes a connection when it has executed all that came over it.
    await waitUntil(
      async () => {
        const present = await this.#connections();
        return !this.#oldConnections.some((id) => present.includes(id));
      },
      { what: 'the old path to be empty' },
    );
  }

  async #connections(): Promise<string[]> {
    return String(await this.#kit.admin.client('LIST'))
      .split('\n')
      .filter((line) => line.includes(` name=${connectionName} `))
      .flatMap((line) => /^id=(\d+)/.exec(line)?.[1] ?? []);
  }

  async #close(): Promise<void> {
    await Promise.all([this.#entrance.close(), this.#oldPath.close()]);
  }
}
