/** The operations of the countdown latch: a count in Redisson's key, and beside it what tells rounds and counters apart. */

import { duration, ordinal, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { KnownRequest } from '../protocol/known-request.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import type { LatchKeys } from './keys.js';
import * as scripts from './scripts.gen.js';

/** Arguments of what changes a latch. */
export interface LatchRequest extends Pick<Granting, 'trust'>, KnownRequest {}

/** What is known of a latch. */
export interface LatchLook {
  /** What is left to be counted; 0 when there is no latch. */
  readonly count: number;
  /** The request that has set this round; undefined when it is not known, which is so of one that Redisson has set. */
  readonly round: string | undefined;
  /** How many ids have counted in this round; 0 when it is not known which round it is. */
  readonly counted: number;
  /** Which round was begun last, whether it is over or not: `<line> <n> <round>`; '' when that is not known. */
  readonly mark: string;
}

/** Begins a round with this count, unless one is under way. Answers whether it has. */
export function trySet(keys: LatchKeys, options: LatchRequest & { readonly count: number }): Command<boolean> {
  return command(
    scripts.set,
    keysOf(keys, options),
    {
      count: ordinal('count', options.count, 1),
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 1),
      request: options.request,
      channel: keys.channel,
      trust: trustArgument(options),
    },
    (reply) => reply.says('set', 2).flag(1),
  );
}

/** Counts down by one, and answers what is left. `by`: who counts, once a round; '' for whoever it is. */
export function count(keys: LatchKeys, options: LatchRequest & { readonly by: string }): Command<number> {
  return command(
    scripts.count,
    keysOf(keys, options),
    {
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 1),
      by: options.by,
      channel: keys.channel,
      trust: trustArgument(options),
    },
    (reply) => reply.says('counted', 2).natural(1),
  );
}

/** What is left to be counted, of which round, and how many ids have counted. Writes nothing. */
export function look(keys: LatchKeys): Command<LatchLook> {
  return command(scripts.look, keys, {}, (reply: Reply) => {
    const round = reply.hasLength(4).text(1);
    return {
      count: reply.natural(0),
      round: round === '' ? undefined : round,
      counted: reply.natural(2),
      mark: reply.text(3),
    };
  });
}

/** Takes the latch away. Answers whether there was one. */
export function remove(keys: LatchKeys, options: LatchRequest): Command<boolean> {
  return command(
    scripts.remove,
    keysOf(keys, options),
    {
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 1),
      channel: keys.channel,
      trust: trustArgument(options),
    },
    (reply) => reply.says('removed', 2).flag(1),
  );
}

function keysOf(keys: LatchKeys, { request }: LatchRequest): Record<'latch' | 'round' | 'dead' | 'mark', string> {
  const { latch, round, mark } = keys;
  return { latch, round, mark, dead: keys.dead(tenureId(request)) };
}
