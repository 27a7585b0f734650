import { direct, memoryRedis, MemoryServer, type Network } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { beforeEach } from '@jest/globals';
import type { RedLockClient, RedLockClientOptions } from 'holdfast';
import type { Redis } from 'ioredis';
import { createRedLockClientIn, systemSurroundings } from '../../src/internal.js';
import { turns } from '../support/room.js';
import type { World } from './world.js';

const EPOCH_MS = 1_700_000_000_000;
const STEP_MS = 5;
const PATIENCE_MS = 60_000;
/** Longer than any lease of a test: the servers count. */
const AGE_MS = 100_000;

/** What stands between the clients and one node. */
export class Link {
  readonly network: Network;
  /** Scripts that clients have sent. */
  scripts = 0;
  #isDown = false;
  #held: (() => void)[] | undefined;
  #freezesAt: { command: string; left: number } | undefined;

  constructor(server: () => MemoryServer) {
    const way = direct(
      () => (this.#isDown ? undefined : server()),
      (step) => (this.#held === undefined ? void Promise.resolve().then(step) : void this.#held.push(step)),
    );
    this.network = {
      dial: (address, listener) => {
        const socket = way.dial(address, listener);
        return {
          send: (request) => {
            const command = String(request[0]).toLowerCase();
            if (command.startsWith('eval')) this.scripts++;
            if (command === this.#freezesAt?.command && --this.#freezesAt.left === 0) this.freeze();
            socket.send(request);
          },
          end: () => socket.end(),
          destroy: () => socket.destroy(),
        };
      },
    };
  }

  /** Connections stay open and nothing comes through, as with a process that was stopped. */
  freeze(): void {
    this.#held ??= [];
  }

  /** Does so when clients send this command for the n-th time, which does not come through any more. */
  freezeAt(command: string, n: number): void {
    this.#freezesAt = { command, left: n };
  }

  /** What was held back arrives now. */
  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const step of held) void Promise.resolve().then(step);
  }

  /** Nothing listens there any more. */
  refuse(): void {
    this.#isDown = true;
  }

  accept(): void {
    this.#isDown = false;
  }
}

/** Servers in memory that know nothing of each other, and time that passes only while a test waits for something. */
export interface RedLockWorld extends Omit<World, 'open'> {
  readonly clock: ManualClock;
  readonly servers: readonly MemoryServer[];
  /** The ways of the clients to them. */
  readonly links: readonly Link[];
  /** The node dies, and comes back when it is started again. */
  kill(node: number): void;
  start(node: number): void;
  /** The clock of the node's machine is set forward. */
  stepClock(node: number, ms: number): void;
  /** Where those who wait for a lock stand in line while every node votes. */
  lineOf(name: string): Promise<number>;
  /** Connections of the test's own. */
  readonly admins: readonly Redis[];
  /** A client, whose ways to the nodes are these; default: the common ones. */
  open(options?: Partial<RedLockClientOptions>, ways?: readonly Link[]): RedLockClient;
  /** Ways to the nodes that one client has for itself. */
  ownLinks(): Link[];
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

/** Of so many nodes. */
export function redlockMemoryWorld(size = 5): RedLockWorld {
  const leaks = guardLeaks();
  let clock: ManualClock;
  let servers: MemoryServer[];
  let steps: number[];
  let links: Link[];
  let admins: Redis[];
  const openRedis = (index: number, { network }: Link) =>
    memoryRedis({ network, timers: clock }, { lazyConnect: true, enableOfflineQueue: false, host: `node-${index}` });
  const openAdmin = (server: MemoryServer) =>
    memoryRedis({ network: direct(() => server), timers: clock }, { lazyConnect: true, retryStrategy: () => 1 });
  beforeEach(async () => {
    clock = new ManualClock();
    steps = Array.from({ length: size }, () => 0);
    servers = steps.map(
      (_, index) =>
        new MemoryServer({ now: () => EPOCH_MS + clock.now() + (steps[index] as number), name: `node-${index}` }),
    );
    links = servers.map((server) => new Link(() => server));
    admins = servers.map(openAdmin);
    await Promise.all(admins.map((admin) => admin.connect()));
    leaks.cleanup(() => admins.forEach((admin) => admin.disconnect()));
    await clock.advance(AGE_MS);
  });
  let isPassing = false;
  const step = async () => {
    if (isPassing) return turns();
    isPassing = true;
    try {
      await clock.advance(STEP_MS);
    } finally {
      isPassing = false;
    }
  };
  const until = async (isOver: () => boolean | Promise<boolean>, what: string) => {
    const end = clock.now() + PATIENCE_MS;
    while (!(await isOver())) {
      if (clock.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS} ms of this world's time`);
      await step();
    }
  };
  const outcome = async <T>(call: Promise<T>): Promise<T> => {
    let settled = false;
    const end = () => {
      settled = true;
    };
    call.then(end, end);
    await until(() => settled, 'a call');
    return call;
  };
  const sum = async (of: (admin: Redis) => Promise<number>) =>
    (await Promise.all(admins.map(of))).reduce((all, one) => all + one, 0);
  return {
    title: 'on five memory servers',
    get clock() {
      return clock;
    },
    get servers() {
      return servers;
    },
    get links() {
      return links;
    },
    kill: (node) => {
      links[node]?.refuse();
      servers[node]?.hangUp();
    },
    start: (node) => links[node]?.accept(),
    stepClock: (node, ms) => {
      steps[node] = (steps[node] as number) + ms;
    },
    lineOf: async (name) => {
      const places = await Promise.all(admins.map((admin) => admin.zcard(`holdfast_queue:{${name}}`)));
      return places.findIndex((count) => count > 0);
    },
    get admins() {
      return admins;
    },
    ownLinks: () => servers.map((server) => new Link(() => server)),
    open: (options, ways = links) => {
      let next = 0;
      const surroundings = {
        ...systemSurroundings(),
        clock,
        openRedis: () => {
          const index = next++;
          return { kind: 'node' as const, redis: openRedis(index, ways[index] as Link), ownership: 'ours' as const };
        },
      };
      const nodes = servers.map((_, index) => `redis://node-${index}`);
      const client = createRedLockClientIn(surroundings, { nodes, ...options });
      leaks.cleanup(async () => {
        for (const link of [...links, ...ways]) {
          link.accept();
          link.thaw();
        }
        await outcome(client.close());
      });
      return client;
    },
    until,
    outcome,
    pass: async (ms) => {
      for (const end = clock.now() + ms; clock.now() < end; ) await step();
    },
    deleteLock: async (name) => void (await Promise.all(admins.map((admin) => admin.del(name)))),
    keysOf: async (name) =>
      (await Promise.all(admins.map((admin) => admin.keys(`*${name}*`))))
        .flat()
        .filter((key) => !key.startsWith('holdfast_dead')),
    waiters: (name) => sum((admin) => admin.zcard(`holdfast_queue:{${name}}`)),
  };
}
