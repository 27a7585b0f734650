/**
 * The Lua operations of the holdfast lock protocol as typed commands.
 *
 * A command is plain data: a script, its keys, its arguments, and how to read its reply. Build one with a function of
 * this package, run it with {@link run}. Every script may run twice, late, or after a failover without changing more
 * than it did the first time. Nothing here opens connections, or
 * keeps any state but the number of the last question.
 *
 * @packageDocumentation
 */
export { MAX_DURATION_MS } from './arguments.js';
export { again, type AgainOptions, type AgainReply } from './commands/again.js';
export { ask, type AskOptions, type AskReply, type Contention } from './commands/ask.js';
export { cancel, type CancelOptions, type CancelReply } from './commands/cancel.js';
export { force, type ForceOptions, type ForceReply } from './commands/force.js';
export type { Granting } from './commands/granting.js';
export { handoff, type HandoffOptions, type HandoffReply } from './commands/handoff.js';
export {
  inspect,
  type InspectedOwner,
  type InspectedWaiter,
  type InspectReply,
} from './commands/inspect.js';
export { peek, type PeekOptions, type PeekReply } from './commands/peek.js';
export { release, type ReleaseOptions, type ReleaseReply } from './commands/release.js';
export { renew, type RenewItem, type RenewOutcome, type RenewReply } from './commands/renew.js';
export { serve, type ServeReply } from './commands/serve.js';
export { assertLockName, assertPrefix, inboxChannel, type LockKeys, lockKeys, type Prefixes } from './keys.js';
export { keySlot } from './key-slot.js';
export { MisdirectedReplyError } from './question.js';
export { ProtocolError } from './reply.js';
export { type Command, run, start, type Script, type ScriptPort } from './script-port.js';
