/**
 * Looks at each server we come to for settings under which it cannot keep locks: they work, until one is gone without a trace.
 *
 * It asks INFO, which ioredis sends too before it calls a connection ready: a user who may connect has that right. Without it nothing is
 * reported, and no call waits for the answer.
 */

import { attempt } from './attempt.js';
import { fieldsOf } from './info.js';
import type { OpenedRedis } from './redis-input.js';
import { nodeOfCluster } from './trouble.js';

/** What is wrong with a server, and what to do. */
export interface UnsafeSetting {
  /** As Redis calls it. */
  readonly setting: 'maxmemory-policy' | 'role' | 'cluster-enabled';
  readonly value: string;
  readonly advice: string;
}

/** A server whose INFO can be asked for. */
export interface CheckedServer {
  info(): Promise<unknown>;
}

/** What a server says of itself. */
export interface ServerFacts {
  /** Which run of it that is, if it says so. */
  readonly run: string | undefined;
  /** `replica`: one that takes no writes. */
  readonly role: 'master' | 'replica';
}

/** How the servers were given: `found` is a master that sentinels name. */
export type GivenAs = 'node' | 'found' | 'cluster';

/** @param opened - of one that wants a replica by name the role is not found, but chosen. */
export function givenAs(opened: OpenedRedis): GivenAs {
  if (opened.kind === 'cluster') return 'cluster';
  const { sentinels, role } = opened.redis.options;
  return sentinels && role !== 'slave' ? 'found' : 'node';
}

/** Reports a setting once for each run of a server. */
export class ServerCheck {
  readonly #given: GivenAs;
  readonly #report: (found: UnsafeSetting) => void;
  readonly #told = new Set<string>();

  constructor(given: GivenAs, report: (found: UnsafeSetting) => void) {
    this.#given = given;
    this.#report = report;
  }

  /**
   * Asks a server that is ready. Never rejects: what was not answered is asked again on the next connection.
   */
  async look(server: CheckedServer): Promise<ServerFacts | undefined> {
    const field = fieldsOf(await attempt(() => server.info()).catch(() => undefined));
    if (field === undefined) return undefined;
    const run = field('run_id');
    const found = (setting: UnsafeSetting['setting'], value: string, advice: string) => {
      const key = `${run} ${setting}`;
      if (this.#told.has(key)) return;
      this.#told.add(key);
      this.#report({ setting, value, advice });
    };
    const policy = field('maxmemory_policy') ?? 'noeviction';
    if (Number(field('maxmemory')) > 0 && policy !== 'noeviction') {
      const advice =
        'a full server deletes locks that are held: set it to noeviction, or keep locks on a server of their own';
      found('maxmemory-policy', policy, advice);
    }
    const role = field('role') ?? 'master';
    const takesWrites = role === 'master' || field('slave_read_only') === '0';
    // Where another master is found, or the map names one, a replica is what a failover looks like for a moment.
    if (this.#given === 'node' && !takesWrites) {
      const advice =
        'a replica takes no locks: connect to the master, or through Sentinel or Cluster except for a lock by majority';
      found('role', role, advice);
    }
    // Valkey calls it `server_mode`.
    const mode = field('redis_mode') ?? field('server_mode');
    if (this.#given === 'node' && mode === 'cluster') found('cluster-enabled', 'yes', `it is ${nodeOfCluster}`);
    return { run, role: takesWrites ? 'master' : 'replica' };
  }
}
