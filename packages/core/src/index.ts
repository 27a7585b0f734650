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
/**
 * Every script by name: for who has to recognise them. They come first, so that all Lua stands together in a bundle: what they share is compressed
 * only where it is near.
 */
export * as scripts from './lock/scripts.gen.js';
export * as readWriteScripts from './read-write/scripts.gen.js';
export * as permitsScripts from './permits/scripts.gen.js';
export * as fencedScripts from './fenced/scripts.gen.js';
export * as guardScripts from './guard/scripts.gen.js';
export * as latchScripts from './latch/scripts.gen.js';
export * as electionScripts from './election/scripts.gen.js';
export * as shareScripts from './share/scripts.gen.js';
export { MAX_TIME_MS, MOST_PERMITS } from './protocol/arguments.js';
export { again, type AgainOptions, type AgainReply } from './lock/again.js';
export { ask, type AskOptions, type AskReply, type Contention } from './lock/ask.js';
export { cancel, type CancelOptions, type CancelReply, type TenureEnd } from './lock/cancel.js';
export {
  askFenced,
  type FencedHandoffReply,
  handoffFenced,
  type Minting,
  minting,
  TOKEN_SPAN,
} from './fenced/fenced.js';
export { force, type ForceOptions, type ForceReply } from './lock/force.js';
export { glance, type GlanceReply } from './lock/glance.js';
export type { Granting } from './queue/granting.js';
export { guardHash, type GuardedWrite, type GuardReply, guardText } from './guard/guard.js';
export { handoff, type HandoffOptions, type HandoffReply } from './lock/handoff.js';
export {
  inspect,
  type InspectedOwner,
  type InspectedWaiter,
  type InspectReply,
} from './lock/inspect.js';
export { peek, type PeekOptions, type PeekReply } from './lock/peek.js';
export type { Inherited } from './queue/inherited.js';
export { release, type ReleaseOptions, type ReleaseReply } from './lock/release.js';
export { renew, type RenewItem, type RenewOutcome, type RenewReply } from './lock/renew.js';
export { rest, type RestOptions, type RestReply } from './lock/rest.js';
export { invite } from './lock/invite.js';
export { serve, type ServeReply } from './lock/serve.js';
// The client imports these five by entries of their own: a namespace that is handed on is an object at run time, with a getter for each function.
export * as election from './election/index.js';
export * as latch from './latch/index.js';
export * as permits from './permits/index.js';
export * as share from './share/index.js';
export * as readWrite from './read-write/index.js';
export {
  clientKey,
  type GuardedKeys,
  guardedKeys,
  inboxChannel,
  type LockKeys,
  lockKeys,
  type ReadWriteKeys,
  readWriteKeys,
  type SemaphoreKeys,
  semaphoreKeys,
} from './protocol/keys.js';
export { assertLockName, assertPrefix, lockNameAt, type Prefixes } from './protocol/names.js';
export { clientIn, ownerIn, readStamp } from './protocol/tenure-id.js';
export { literally } from './protocol/pattern.js';
export { keySlot, SLOTS } from './protocol/key-slot.js';
export { MisdirectedReplyError, UnnamedReplyError } from './protocol/question.js';
export { ProtocolError, shapeOf } from './protocol/reply.js';
export { translated } from './protocol/command.js';
export type { KnownRequest } from './protocol/known-request.js';
export {
  type Call,
  type Command,
  type ReplyListener,
  run,
  start,
  type Script,
  type ScriptForm,
  type ScriptPort,
} from './protocol/script-port.js';
