import { answerTo, newQuestion } from './question.js';

/** The text of one Lua operation, and the SHA-1 Redis knows it by. */
export interface Script {
  readonly name: string;
  /** SHA-1 of `source`, in hex. */
  readonly sha: string;
  readonly source: string;
}

/** A script with its keys and arguments, and how to read its reply. Plain data: building one does no I/O. When it is sent, the name of the
 * question is one more argument. */
export interface Call<Reply> {
  readonly script: Script;
  /** As the client must be given them: without its `keyPrefix`, which it puts in front itself. */
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /**
   * Turns the raw reply into its type.
   * @throws ProtocolError when the reply has any other shape.
   */
  decode(raw: unknown): Reply;
}

/** A {@link Call} that may leave with others of its kind. */
export interface Command<Reply> extends Call<Reply> {
  /**
   * Makes one call of several commands with the same script, of which this is one; absent: each is sent alone. It does what they do, one after the
   * other, and replies in their order. An error says nothing about any of them: those before it have run.
   */
  readonly joint?: Together | undefined;
  /**
   * Makes one call of this command and those that are to follow it, with the same script: each does something only when those before it have got what
   * they ask for. An error says nothing about any of them. Absent: none can follow it.
   */
  readonly chain?: Together | undefined;
}

/** Makes one call of several commands. */
export type Together = (commands: readonly Call<unknown>[]) => Call<readonly unknown[]>;

/** What this package needs of a Redis connection: the two ways to run a script. Both reject and never throw. */
export interface ScriptPort {
  /** EVALSHA. Rejects with the error reply of Redis, whose message starts with its code. */
  evalsha(sha: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** EVAL, which also makes the script known to the node that ran it. */
  eval(source: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** The node has answered EVALSHA that it does not know the script, which is sent in full now. */
  onUnknown?(): void;
  /** The SHA-1 of each script that has been sent in full, for who asks for that: the node knows it by the time at which it comes to what is sent behind. */
  readonly inFull?: Set<string>;
}

/**
 * How a script leaves. `by name`: by EVALSHA, and once by EVAL where the node does not know it. `in full`: by EVAL, unless that has been sent before, so
 * that it runs there also when nobody is here any more to hear that it is unknown.
 */
export type ScriptForm = 'by name' | 'in full';

/**
 * Runs a command: by EVALSHA, and once by EVAL where the node does not know the script (new node, failover, SCRIPT
 * FLUSH). Every script may run twice without harm, so the second attempt is safe even if the first did run.
 *
 * Rejects with whatever the port rejects with, or with {@link ProtocolError}; {@link MisdirectedReplyError} when the
 * port gave it the answer to another question. There is no deadline in here: the port's
 * owner decides how long a command may take.
 */
export function run<Reply>(port: ScriptPort, command: Call<Reply>): Promise<Reply> {
  return new Promise((onReply, onError) => start(port, command, { onReply, onError }));
}

/** Told what a command comes to: one of the two, once. They must not throw. */
export interface ReplyListener<Reply> {
  onReply(reply: Reply): void;
  onError(error: unknown): void;
}

/** As {@link run}, for callers that can do without a promise. */
export function start<Reply>(
  port: ScriptPort,
  command: Call<Reply>,
  listener: ReplyListener<Reply>,
  form: ScriptForm = 'by name',
): void {
  const { script, keys } = command;
  const question = newQuestion();
  const args = [...command.args, question];
  const read = (raw: unknown): void => {
    let reply: Reply;
    try {
      reply = command.decode(answerTo(question, script.name, raw));
    } catch (error) {
      return listener.onError(error);
    }
    listener.onReply(reply);
  };
  if (form === 'in full' && !port.inFull?.has(script.sha)) {
    port.inFull?.add(script.sha);
    void port.eval(script.source, keys, args).then(read, (error: unknown) => {
      // One that was refused need not have been read.
      port.inFull?.delete(script.sha);
      listener.onError(error);
    });
    return;
  }
  void port.evalsha(script.sha, keys, args).then(read, (error: unknown) => {
    const isUnknown = error instanceof Error && error.message.startsWith('NOSCRIPT');
    if (!isUnknown) return listener.onError(error);
    port.onUnknown?.();
    void port.eval(script.source, keys, args).then(read, (again: unknown) => listener.onError(again));
  });
}
