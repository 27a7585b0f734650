import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Command } from '../protocol/script-port.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import { invite as operation } from './scripts.gen.js';
import { decodeServed, type ServeReply } from './serve.js';

/** Tells the first who waits in Redisson's fair lock that the lock is free. */
export function invite(keys: LockKeys, options: Granting): Command<ServeReply> {
  const { fairLine, releaseChannel } = keys;
  return command(operation, { line: fairLine }, { releaseChannel, trust: trustArgument(options) }, decodeServed);
}
