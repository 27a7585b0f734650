/**
 * The server of a world, as the clients see it: one address, behind which a master answers, and perhaps a replica that may take its place.
 *
 * What a master has written arrives at its replica some time later. In a failover what has not arrived is lost, and every lock with it may have two
 * owners for a while: those times are told to the judges.
 */

import { MemoryServer, type Replication, type ScriptBody } from '@holdfast/memory';
import type { Chance } from './chance.js';
import type { Delays, Host } from './network.js';
import { Phase, type Timeline } from './timeline.js';

/** Server time when a world begins: a day in 2026. */
const BEGIN_MS = 1_790_000_000_000;

/** How a server is. */
export interface ServerTerms {
  readonly name: string;
  readonly label?: string;
  /** Scripts that take the place of its own. */
  readonly scripts?: Readonly<Record<string, ScriptBody>>;
  /** How far a replica is behind; undefined: there is none. */
  readonly lag?: Delays | undefined;
  /** How much faster than the world's its clock runs. Default 1. */
  readonly rate?: number;
  /** How far its wall clock is ahead of the world's. Default 0. */
  readonly aheadMs?: number;
  /** For how long it has been running when the world begins. Default 0. */
  readonly ageMs?: number;
}

/** See the module comment. */
export class WorldServer implements Host {
  readonly #timeline: Timeline;
  readonly name: string;
  readonly label: string;
  readonly #rate: number;
  readonly #ageMs: number;
  readonly #scripts: Readonly<Record<string, ScriptBody>>;
  readonly #chance: Chance;
  readonly #lag: Delays | undefined;
  #master: MemoryServer;
  #replica: { server: MemoryServer; replication: Replication } | undefined;
  #servers = 0;
  #up = true;
  #busyUntil = 0;
  #aheadMs: number;

  constructor(
    timeline: Timeline,
    chance: Chance,
    { name, label = '', lag, rate = 1, aheadMs = 0, ageMs = 0, scripts = {} }: ServerTerms,
  ) {
    this.#timeline = timeline;
    this.#chance = chance;
    this.name = name;
    this.label = label;
    this.#lag = lag;
    this.#rate = rate;
    this.#aheadMs = aheadMs;
    this.#ageMs = ageMs;
    this.#scripts = scripts;
    this.#master = this.#make();
    this.#follow();
  }

  get gone(): boolean {
    return false;
  }

  get busyUntil(): number {
    return this.#busyUntil;
  }

  get server(): MemoryServer | undefined {
    return this.#up ? this.#master : undefined;
  }

  /** The one whose data counts. */
  get master(): MemoryServer {
    return this.#master;
  }

  get hasReplica(): boolean {
    return this.#replica !== undefined;
  }

  /** It does nothing for so long: busy, asleep, or stopped. */
  stop(ms: number): void {
    this.#busyUntil = Math.max(this.#busyUntil, this.#timeline.now + ms);
  }

  /** Its process ends, and the next one begins after so long. */
  restart(data: 'data kept' | 'data lost', awayMs: number): void {
    this.#up = false;
    this.#master.restart(data);
    this.#timeline.at(this.#timeline.now + awayMs, Phase.immediate, undefined, () => {
      this.#up = true;
    });
  }

  /** The replica takes over. Returns whether anything was lost. */
  failOver(awayMs: number): 'lost' | 'nothing lost' {
    const replica = this.#replica;
    if (replica === undefined) return 'nothing lost';
    const lost = replica.replication.pending > 0;
    replica.replication.end();
    this.#up = false;
    this.#master.hangUp();
    this.#master = replica.server;
    this.#master.promote();
    this.#follow();
    this.#timeline.at(this.#timeline.now + awayMs, Phase.immediate, undefined, () => {
      this.#up = true;
    });
    return lost ? 'lost' : 'nothing lost';
  }

  /** Its wall clock is set. */
  setClock(byMs: number): void {
    this.#aheadMs += byMs;
  }

  #make(): MemoryServer {
    const timers = {
      setTimer: (run: () => void, delayMs: number) =>
        this.#timeline.at(this.#timeline.now + delayMs, Phase.timer, this, run),
      clearTimer: (timer: unknown) => {
        if (typeof timer === 'object' && timer !== null && 'run' in timer) timer.run = undefined;
      },
    };
    const now = () => BEGIN_MS + this.#timeline.now * this.#rate + this.#aheadMs;
    const name = `${this.name}-${++this.#servers}`;
    return new MemoryServer({ now, timers, name, ageMs: this.#ageMs, scripts: this.#scripts, bugs: 'thrown' });
  }

  #follow(): void {
    const lag = this.#lag;
    if (lag === undefined) return;
    const server = this.#make();
    let last = 0;
    const replication: Replication = this.#master.replicateTo(server, () => {
      last = Math.max(last, this.#timeline.now + this.#chance.between(lag.least, lag.most));
      this.#timeline.at(last, Phase.socket, undefined, () => replication.arrive(1));
    });
    this.#replica = { server, replication };
  }
}
