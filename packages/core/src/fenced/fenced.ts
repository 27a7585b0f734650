/**
 * The commands of a lock whose owners have fencing tokens. They are those of the re-entrant lock, by scripts that mint a span of tokens for each
 * owner they make: one more key and one more argument. What need not know of tokens (again, rest, renew, peek, inspect) is the same script.
 */

import { duration, ordinal, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import { Reply } from '../protocol/reply.js';
import { inOne } from '../protocol/in-one.js';
import type { Command, Together } from '../protocol/script-port.js';
import { ask, type AskOptions, type AskReply, readAsk, type TokenReader } from '../lock/ask.js';
import { type HandoffOptions, readPassed } from '../lock/handoff.js';
import * as scripts from './scripts.gen.js';

/** So many tokens are minted at once: the token that a reply or a message tells is the first of them. */
export const TOKEN_SPAN = 32;

/**
 * How tokens are made. `time`: never below the server's clock in microseconds, so that none comes again when the counter is lost. `count`: one
 * above the counter, for clients of Redisson that share it.
 */
export interface Minting {
  readonly tokens: 'time' | 'count';
}

/** Reply to {@link handoffFenced}. */
export type FencedHandoffReply =
  | { kind: 'passed'; remainingMs: number | undefined; others: number; nowMs: number; token: number }
  | { kind: 'lost' };

/** As {@link ask}; an owner is told its token. */
export function askFenced(keys: LockKeys, options: AskOptions & Minting): Command<AskReply> {
  const like = ask(keys, options);
  const decode = (raw: unknown) => readAsk(new Reply(scripts.ask.name, raw), options.leaseMs, token);
  return minting('ask', { keys: like.keys, args: like.args, decode }, keys, options, joint);
}

const joint: Together = (commands) => inOne(scripts.reasks, commands);

const token: TokenReader = (reply, index) => reply.natural(index);

/** As {@link handoff}; the next hold has tokens of its own. */
export function handoffFenced(keys: LockKeys, options: HandoffOptions & Minting): Command<FencedHandoffReply> {
  return command(
    scripts.handoff,
    { lock: keys.lock, queue: keys.queue, counter: keys.tokenCounter },
    {
      tenure: tenureId(options.tenure),
      seq: ordinal('seq', options.seq, 1),
      leaseMs: duration('leaseMs', options.leaseMs, 1),
      tokens: options.tokens,
    },
    readHandoff,
  );
}

const mints = {
  ask: scripts.ask,
  cancel: scripts.cancel,
  force: scripts.force,
  release: scripts.release,
  serve: scripts.serve,
} as const;

/** The same command, by the script that is like its own but for the tokens. It leaves alone, unless `together` says otherwise. */
export function minting<R>(
  name: keyof typeof mints,
  like: Pick<Command<R>, 'keys' | 'args' | 'decode'>,
  { tokenCounter }: LockKeys,
  { tokens }: Minting,
  together?: Together,
): Command<R> {
  return {
    script: mints[name],
    keys: [...like.keys, tokenCounter],
    args: [...like.args, tokens],
    decode: (raw) => like.decode(raw),
    joint: together,
    chain: undefined,
  };
}

function readHandoff(reply: Reply): FencedHandoffReply {
  const passed = readPassed(reply, 5);
  return passed.kind === 'lost' ? passed : { ...passed, token: reply.natural(4) };
}
