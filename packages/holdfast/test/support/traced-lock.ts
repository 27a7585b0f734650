import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { RedisKit } from '@holdfast/testkit';
import { waitUntil } from '@holdfast/testkit';
import type { Hold, LockClient, RLock } from 'holdfast';
import { freshName, openClient } from './clients.js';
import { isCommand, loadScripts } from './scripts.js';
import { type Kind, StepNetwork } from './step-network.js';

/** What the model says of a moment, and what is observed. Processes by their number. */
export interface Situation {
  readonly owner: number | null;
  readonly count: number;
  /** The first to be served first. */
  readonly queue: readonly number[];
  readonly processes: readonly {
    /** Open holds that their holders believe in. */
    readonly inside: number;
    /** On their way to Redis. */
    readonly sent: readonly string[];
    /** On their way back, and in the inbox. */
    readonly answers: number;
    readonly messages: number;
  }[];
}

interface Process {
  readonly client: LockClient;
  readonly lock: RLock;
  readonly network: StepNetwork;
  readonly call: AbortController;
  /** Innermost last. */
  holds: Hold[];
}

const kinds: readonly Kind[] = ['ask', 'again', 'release', 'cancel', 'handoff'];
/** Nothing that only time does happens in a test. */
const patient = {
  watchdogTimeoutMs: 120_000,
  claimLeaseMs: 60_000,
  reaskMs: 55_000,
  attemptTimeoutMs: 50_000,
  responseTimeoutMs: 100_000,
};

/** One lock and some clients, each on a network of its own that moves in steps. */
export class TracedLock {
  readonly #kit: RedisKit;
  readonly #name = freshName();
  readonly #operator: LockClient;
  readonly #processes: Process[] = [];
  /** Copies that got stuck on connections that have ended. */
  readonly #late: (Buffer | undefined)[] = [];

  private constructor(kit: RedisKit) {
    this.#kit = kit;
    this.#operator = openClient(kit);
  }

  static async open(kit: RedisKit, processes: number): Promise<TracedLock> {
    const traced = new TracedLock(kit);
    await loadScripts(kit);
    for (let number = 0; number < processes; number++) await traced.#add();
    return traced;
  }

  async take(step: { readonly do: string; readonly who: number }): Promise<void> {
    const { who } = step;
    const process = this.#processes[who] as Process;
    switch (step.do) {
      case 'calls':
        this.#entering(process, process.lock.acquire({ signal: process.call.signal }));
        return;
      case 'nests':
        this.#entering(process, process.holds.at(-1)?.run(() => process.lock.acquire()) as Promise<Hold>);
        return;
      case 'leaves':
      case 'leaves_inner':
        void process.holds
          .pop()
          ?.release()
          .catch(() => undefined);
        return;
      case 'gives_up':
        process.call.abort();
        return;
      case 'executes':
        if (process === undefined) await this.#operator.getLock(this.#name).forceUnlock();
        else process.network.execute();
        return;
      case 'hears':
        process.network.answer();
        return;
      case 'hears_message':
        process.network.message();
        return;
      case 'breaks_off':
        for (const copy of process.network.breakOff()) this.#bury(copy);
        return;
      case 'arrives_late':
        await this.#arrive(this.#late[who] as Buffer);
        this.#late[who] = undefined;
        return;
      case 'never_arrives':
        this.#late[who] = undefined;
        return;
      case 'forces':
        return;
      default:
        throw new Error(`unknown step: ${step.do}`);
    }
  }

  async situation(): Promise<Situation> {
    const { admin } = this.#kit;
    const { seq: _, ...owners } = await admin.hgetall(this.#name);
    const [owner] = Object.entries(owners);
    const queue = await admin.zrange(`holdfast_queue:{${this.#name}}`, '0', '-1');
    return {
      owner: owner === undefined ? null : this.#numberOf(owner[0]),
      count: Number(owner?.[1] ?? 0),
      queue: queue.map((tenure) => this.#numberOf(tenure)),
      processes: this.#processes.map(({ holds, network: { sent, answers, messages } }) => ({
        inside: holds.filter(({ state }) => state === 'held' || state === 'suspect').length,
        sent,
        answers,
        messages,
      })),
    };
  }

  async #add(): Promise<void> {
    const network = new StepNetwork(this.#kit.server, (request) => this.#kindOf(request));
    const redis = await network.listen();
    this.#kit.cleanup(() => network.close());
    const client = openClient(this.#kit, { redis, ...patient });
    this.#kit.cleanup(() => network.flow());
    const lock = client.getLock(this.#name);
    this.#processes.push({ client, lock, network, call: new AbortController(), holds: [] });
    // Connected, and listening.
    await client.getLock(freshName()).withLock(() => undefined);
    const inbox = `holdfast_inbox:${client.clientId}`;
    await waitUntil(async () => Number((await this.#kit.admin.pubsub('NUMSUB', inbox))[1]) === 1, {
      what: 'the inbox',
    });
  }

  #entering(process: Process, promise: Promise<Hold>): void {
    promise.then(
      (hold) => process.holds.push(hold),
      () => undefined,
    );
  }

  #kindOf(request: Buffer): Kind | undefined {
    return request.includes(this.#name) ? kinds.find((kind) => isCommand(kind)(request)) : undefined;
  }

  #numberOf(tenure: string): number {
    return this.#processes.findIndex(({ client }) => tenure.startsWith(client.clientId));
  }

  /** As the model does: into the first free slot. */
  #bury(copy: Buffer): void {
    const free = [0, 1, 2, 3].find((slot) => this.#late[slot] === undefined);
    this.#late[free ?? 4] = copy;
  }

  /** The very bytes, on a connection of their own. */
  async #arrive(copy: Buffer): Promise<void> {
    const { host, port } = this.#kit.server;
    const socket = connect({ host, port });
    socket.write(copy);
    await once(socket, 'data');
    socket.destroy();
  }
}
