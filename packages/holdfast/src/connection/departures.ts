/**
 * How copies of commands leave: each as a command of its own, or several as one.
 *
 * - What one piece of work asks for *together* leaves when that has returned (`CommandSender.together`).
 * - *In a flood*, with so many requests under way that the server has enough to do, the processor of the client is what limits it: whatever is sent in one turn
 *   of the event loop then leaves together, at the end of that turn at the latest (ADR 56). With fewer the server would be idle while commands are made.
 *   What concerns one lock leaves in the order in which it was sent all the same.
 */

import { start } from '@holdfast/core';
import type { Copy, CopyKeeper } from './copy.js';
import { asOne, inGroups, MOST_IN_ONE } from './joint-copies.js';
import { nextTick } from './next-tick.js';
import type { Topology } from './topology.js';
import { brokenConnection } from './trouble.js';

/** From this many requests under way, those of one turn leave as one batch. */
const CROWD = 8;
/** From this many on, as joint commands. */
const FLOOD = 256;
/** More are not held back. They are of two kinds as a rule: locks that are asked for, and locks that are given back. */
const MOST_HELD = 2 * MOST_IN_ONE;

/** Told what becomes of copies that have left as one command. */
export interface JointCopyKeeper extends CopyKeeper {
  repliedTogether(copies: readonly Copy<unknown>[], replies: readonly unknown[]): void;
  failedTogether(copies: readonly Copy<unknown>[], error: unknown): void;
}

/** See the module comment. */
export class Departures {
  readonly #keeper: JointCopyKeeper;
  readonly #topology: Pick<Topology, 'placeOf' | 'sharded'>;
  readonly #underWay: { readonly size: number };
  /** Of this turn, in a flood. */
  #held: Copy<unknown>[] = [];
  /** Of the locks that they concern. */
  readonly #lockKeys = new Set<string>();
  /** The server takes no command for locks of several slots: it is a node of a Cluster that was given alone, or a proxy before one. */
  #isSplit = false;

  constructor(
    keeper: JointCopyKeeper,
    topology: Pick<Topology, 'placeOf' | 'sharded'>,
    underWay: { readonly size: number },
  ) {
    this.#keeper = keeper;
    this.#topology = topology;
    this.#underWay = underWay;
  }

  /** One by itself, or with others of this turn. */
  leave<R>(copy: Copy<R>): void {
    const { command, pending } = copy;
    if (this.#lockKeys.has(pending.lockKey)) this.#endTurn();
    const isFlood = this.#underWay.size >= FLOOD && !this.#topology.sharded && !this.#isSplit;
    // Whose last copy has failed leaves alone too: what was wrong may have been wrong with it.
    if (!isFlood || command.joint === undefined || pending.apart || pending.setback) return this.leaveAlone(copy);
    this.#lockKeys.add(pending.lockKey);
    const count = this.#held.push(copy as Copy<unknown>);
    if (count === 1) nextTick(this.#endTurn);
    else if (count === MOST_HELD) this.#endTurn();
  }

  leaveAlone<R>(copy: Copy<R>, port = copy.connection.port): void {
    this.#gather(copy);
    start(port, copy.command, copy, copy.pending.options.form);
  }

  /** What can be one command as one, in the place of the first. */
  leaveTogether(copies: readonly Copy<unknown>[]): void {
    this.#endTurn();
    this.#leaveInGroups(copies);
  }

  #leaveInGroups(copies: readonly Copy<unknown>[]): void {
    const placeOf = (lockKey: string) => (this.#isSplit ? lockKey : this.#topology.placeOf(lockKey));
    for (const group of inGroups(copies, placeOf)) this.#leaveAsOne(group);
  }

  readonly #endTurn = (): void => {
    const held = this.#held;
    this.#held = [];
    this.#lockKeys.clear();
    this.#leaveInGroups(held.filter((copy) => this.#mayLeave(copy)));
  };

  /** Its connection may have been given up in this turn. What ioredis is handed then, it keeps for the next one. */
  #mayLeave(copy: Copy<unknown>): boolean {
    const { ready } = copy.connection;
    if (!ready) this.#keeper.failed(copy, new Error(brokenConnection));
    return ready;
  }

  /** Several with the same connection and script, as one command; or one. */
  #leaveAsOne(group: readonly [Copy<unknown>, ...Copy<unknown>[]]): void {
    const [first] = group;
    const copies = first.followers === undefined ? group : [first, ...first.followers];
    const joint = asOne(group);
    if (joint === undefined) return copies.forEach((copy) => this.leaveAlone(copy));
    this.#gather(first);
    start(first.connection.port, joint, {
      onReply: (replies) => this.#keeper.repliedTogether(copies, replies),
      onError: (error) => {
        this.#isSplit ||= /\bCROSSSLOT /.test(String(error));
        this.#keeper.failedTogether(copies, error);
      },
    });
  }

  #gather({ connection }: Pick<Copy<unknown>, 'connection'>): void {
    if (this.#underWay.size >= CROWD) connection.gather();
  }
}
