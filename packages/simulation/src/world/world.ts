/**
 * A world: processes with real clients, a network, and a server, in one thread and without any time of its own.
 *
 * ## Why it shows what the real client does
 *
 * The client is the one that is published, made by `createLockClientIn` with other surroundings: a clock, randomness, turns of the event loop, and
 * where its connections come from. No line of it is replaced or skipped. Below it stands a connection that behaves as ioredis does, over a network
 * that keeps order within a connection as TCP does, to a server that executes the scripts themselves, or rules in their place; a differential test holds
 * both to real servers.
 *
 * What is left open is when things happen, and that is what the world decides: one event at a time, in order of world time, with all promise
 * jobs run before the next. An event is what a macrotask is to Node: a timer, bytes from a socket, `setImmediate`. Two processes never run at the same
 * moment, but they share nothing that they could both change, so every real interleaving of their macrotasks is the same as one of these.
 *
 * Everything random comes from one seed, and nothing in here asks the machine for anything. So the same seed gives the same run, to the last event,
 * which {@link Trace} proves with one number.
 *
 * ## What it cannot see
 *
 * - What ioredis, Node's sockets and Redis do otherwise than described here: bytes that are cut, TLS, output buffers, eviction, persistence. The
 *   tests on real servers and `npm run faults` are for that.
 * - Code takes no time in here, except where a task computes: a race between two lines of one macrotask does not exist, and load does not slow anything.
 * - Cluster and Sentinel: there is one address. What is behind it may fail over. Locks by majority have servers of their own beside it.
 * - A mistake that the memory server shares with nobody, in what both it and a real server are asked in the differential test.
 */

import {
  createLockClientIn,
  createRedLockClientIn,
  ours,
  retryStrategy,
  type Surroundings,
  systemSurroundings,
} from 'holdfast/internal';
import { memoryRedis } from '@holdfast/memory';
import { luaScripts } from '@holdfast/memory/lua';
import type { LockClient, RedLockClient } from 'holdfast';
import type { Redis, RedisOptions } from 'ioredis';
import type { MajorityPlan, ProcessPlan, Scenario } from '../plan/scenario.js';
import { Chance } from './chance.js';
import { WorldNetwork } from './network.js';
import { WorldProcess } from './process.js';
import { WorldServer } from './servers.js';
import { Timeline } from './timeline.js';
import type { Trace } from './trace.js';

const PORT = 6379;
const HOST = { host: 'redis', port: PORT };
/** Translated once, for all worlds. */
const lua = luaScripts();
/** Of a server of the locks by majority. */
const nodeHost = (number: number) => `node-${number}`;

/** One life of a process: the clients in it, and the connections of the user's that they may have been given. */
export interface Life {
  readonly plan: ProcessPlan;
  readonly number: number;
  readonly process: WorldProcess;
  readonly client: LockClient;
  /** For locks by majority, in a world that has some. */
  readonly majority: RedLockClient | undefined;
  readonly yours: readonly Redis[];
}

/** See the module comment. */
export class World {
  readonly timeline = new Timeline();
  readonly trace: Trace;
  readonly chance: Chance;
  readonly server: WorldServer;
  /** Those of the locks by majority. */
  readonly nodes: readonly WorldServer[];
  readonly network: WorldNetwork;
  readonly #scenario: Scenario;
  readonly #lives: Life[] = [];

  constructor(scenario: Scenario, trace: Trace) {
    this.trace = trace;
    this.#scenario = scenario;
    this.chance = new Chance(scenario.seed).of('world');
    const scripts = scenario.scripts === 'lua' ? lua : {};
    const { lag } = scenario;
    this.server = new WorldServer(this.timeline, this.chance.of('server'), { name: 'server', lag, scripts });
    const plan = majorityOf(scenario);
    this.nodes = (plan?.nodes ?? []).map(
      (terms, number) =>
        new WorldServer(this.timeline, this.chance.of(nodeHost(number)), {
          name: nodeHost(number),
          label: `>${nodeHost(number)}`,
          scripts,
          ...terms,
        }),
    );
    this.network = new WorldNetwork({
      timeline: this.timeline,
      chance: this.chance.of('network'),
      trace,
      hostAt: ({ host }) => this.nodes.find((_, number) => nodeHost(number) === host) ?? this.server,
      delays: scenario.delays,
    });
  }

  /** World time at which work, and whatever disturbs it, ends. */
  get workMs(): number {
    return this.#scenario.workMs;
  }

  /** Every life of every process, the dead too. */
  get lives(): readonly Life[] {
    return this.#lives;
  }

  /** The present life of a process; undefined while it has none. */
  lifeOf(number: number): Life | undefined {
    return this.#lives.findLast(({ plan, process }) => plan.number === number && !process.gone);
  }

  /** Starts a process, for the first time or again. */
  start(plan: ProcessPlan): Life {
    const number = this.#lives.filter((life) => life.plan === plan).length;
    const name = number === 0 ? plan.name : `${plan.name}.${number}`;
    const chance = this.chance.of(`process ${name}`);
    const process = new WorldProcess(this.timeline, chance, {
      name,
      number: plan.number,
      rate: plan.rate,
      startsAt: plan.startsAt + 1e6 * number,
      kernelHelps: plan.connection === 'yours',
    });
    const place = { network: this.network.of(process), timers: process.clock as never };
    const yours: Redis[] = [];
    const connect = (address: RedisOptions): RedisOptions | Redis => {
      if (plan.connection === 'ours') return address;
      const redis = memoryRedis(place, address);
      redis.on('error', () => undefined);
      yours.push(redis);
      return redis;
    };
    const system = systemSurroundings();
    const surroundings = (random: Chance, ids: Chance): Surroundings => ({
      clock: process.clock,
      random: random.next,
      randomText: ids.text,
      nextTurn: process.nextTurn,
      whereabouts: () => ({ host: name, pid: 1 }),
      openRedis: (input) =>
        plan.connection === 'ours'
          ? {
              kind: 'node',
              redis: memoryRedis(place, { retryStrategy, ...(input as RedisOptions), ...ours }),
              ownership: 'ours',
            }
          : system.openRedis(input),
    });
    const client = createLockClientIn(surroundings(chance.of('client'), chance.of('ids')), {
      redis: connect(HOST),
      wakeup: this.#scenario.wakeup,
      releaseOnScopeEnd: this.#scenario.others.some((one) => one.kind === 'left' && one.leftovers === 'release'),
      deadlocks: this.#scenario.others.some(({ kind }) => kind === 'circle') ? 'refuse' : 'report',
      ...plan.client,
    });
    // Without listeners errors would be printed; they are told by the calls as well.
    client.on('error', () => undefined);
    const majority = this.#openMajority(plan, connect, surroundings(chance.of('majority'), chance.of('majority ids')));
    const life = { plan, number, process, client, majority, yours };
    this.#lives.push(life);
    return life;
  }

  #openMajority(
    plan: ProcessPlan,
    connect: (address: RedisOptions) => RedisOptions | Redis,
    surroundings: Surroundings,
  ): RedLockClient | undefined {
    const majority = majorityOf(this.#scenario);
    if (majority === undefined) return undefined;
    const { watchdogTimeoutMs, nodeTimeoutMs } = majority;
    const client = createRedLockClientIn(surroundings, {
      ...plan.client,
      nodes: this.nodes.map((_, number) => connect({ host: nodeHost(number), port: PORT })),
      watchdogTimeoutMs,
      nodeTimeoutMs,
    });
    client.on('error', () => undefined);
    return client;
  }

  /** Kills a process. `how`: whether its machine still closes its connections. */
  kill({ process }: Life, how: 'closed' | 'silent'): void {
    process.kill();
    for (const connection of this.network.connectionsOf(process)) connection.abandon(how);
  }
}

const majorityOf = ({ others }: Scenario): MajorityPlan | undefined => others.find((plan) => plan.kind === 'majority');
