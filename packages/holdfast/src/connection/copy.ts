import { type Command, MisdirectedReplyError, type ReplyListener, UnnamedReplyError } from '@holdfast/core';
import type { Connection } from './connection.js';
import type { PendingCommand } from './pending-command.js';
import { type ErrorMeaning, meaningOf } from './reply-errors.js';

/** Told what becomes of copies. */
export interface CopyKeeper {
  replied<R>(copy: Copy<R>, reply: R): void;
  failed<R>(copy: Copy<R>, error: unknown): void;
}

/** A copy of a command on its way to a connection. */
export class Copy<R> implements ReplyListener<R> {
  readonly pending: PendingCommand<R>;
  readonly connection: Connection;
  /** The number of its connection when the copy was made. */
  readonly epoch: number;
  readonly command: Command<R>;
  readonly sentAt: number;
  /** Those that leave behind it, in one command with it; see {@link CommandSender.behind}. */
  followers: readonly Copy<unknown>[] | undefined = undefined;
  readonly #keeper: CopyKeeper;

  constructor(
    pending: PendingCommand<R>,
    connection: Connection,
    { command, sentAt }: { command: Command<R>; sentAt: number },
    keeper: CopyKeeper,
  ) {
    this.pending = pending;
    this.connection = connection;
    this.epoch = connection.epoch;
    this.command = command;
    this.sentAt = sentAt;
    this.#keeper = keeper;
  }

  onReply(reply: R): void {
    this.#keeper.replied(this, reply);
  }

  onError(error: unknown): void {
    this.#keeper.failed(this, error);
  }
}

/** What an error that has come for a copy says about its request. */
export function meaningFor<R>({ pending, connection }: Copy<R>, error: unknown): ErrorMeaning {
  if (error instanceof MisdirectedReplyError) connection.outOfStep(error);
  if (!(error instanceof UnnamedReplyError)) return meaningOf(error);
  return connection.outOfStep(error) === 'replaced' && !pending.unnamedBefore(connection)
    ? { kind: 'unknown' }
    : meaningOf(error);
}
