/**
 * Answers name their questions.
 *
 * Redis answers in order, and a client library gives each answer to the command that is next in its own list. Whatever gets between the two (a
 * proxy, a library with a bug, bytes out of order) gives answers to the wrong commands, and the `acquired` of one lock would be believed by the
 * waiter of another. So each question has a name, every script gives it back, and an answer with another name is not believed.
 */

import { randomBytes } from 'node:crypto';
import { ProtocolError } from './reply.js';

/** The answer belongs to another question: what else comes on that connection does too. */
export class MisdirectedReplyError extends ProtocolError {
  constructor(operation: string) {
    super(operation, 'it answers another question; the answers on this connection are out of step');
  }
}

/** The answer names no question at all: no script has given it, so the answers on that connection may be out of step. */
export class UnnamedReplyError extends ProtocolError {
  constructor(operation: string) {
    super(operation, 'it does not say which question it answers');
  }
}

/** Of this process: questions of others may share a connection with ours, behind a proxy. */
const asker = `?${randomBytes(6).toString('base64url')}.`;
const pattern = /(?:^| )\?[\w-]{8}\.[0-9a-z]+$/;
let asked = 0;

/** A name that no other question has. */
export function newQuestion(): string {
  return `${asker}${++asked}`;
}

/**
 * The reply without the name of its question: the last item of an array, or the last word of a text.
 *
 * @throws MisdirectedReplyError when it names another one, UnnamedReplyError when it names none.
 */
export function answerTo(question: string, operation: string, raw: unknown): unknown {
  let named = raw;
  if (typeof raw === 'string') {
    const end = raw.length - question.length - 1;
    if (raw[end] === ' ' && raw.endsWith(question)) return raw.slice(0, end);
  } else if (Array.isArray(raw)) {
    named = raw.at(-1);
    if (named === question) return raw.slice(0, -1);
  }
  if (typeof named === 'string' && pattern.test(named)) throw new MisdirectedReplyError(operation);
  throw new UnnamedReplyError(operation);
}
