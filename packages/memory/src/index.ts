/**
 * A Redis server in memory, as far as holdfast needs one, and connections to it in the shape of ioredis.
 *
 * The real client runs on it with all of its code: a {@link MemoryServer} executes what it sends, a {@link Network} carries it there, and
 * {@link memoryRedis} stands where an ioredis client would. Time and timers are the caller's; nothing here draws random numbers.
 *
 * @packageDocumentation
 */
export { MemoryRedis, memoryRedis, type Place, type Status } from './connection/memory-redis.js';
export {
  type Address,
  type Defer,
  direct,
  type Network,
  refused,
  type Socket,
  type SocketListener,
  soon,
} from './connection/network.js';
export { type Frame, type Peer, type Request, ServerConnection } from './server/connection.js';
export { type Entry, Keyspace, type Value } from './server/keyspace.js';
export { MemoryServer, type MemoryServerOptions, type Role, type Timers } from './server/memory-server.js';
export type { ChannelKind } from './server/pub-sub.js';
export { ErrorReply, type Reply } from './server/reply.js';
export { type Change, Replication } from './server/replication.js';
export { SortedSet } from './server/sorted-set.js';
export type { Trouble } from './server/trouble.js';
export type { Commands } from './server/commands.js';
export { bodies, type ScriptBody } from './server/scripts/index.js';
