/**
 * One Redis server, as far as holdfast needs one, in the memory of this process.
 *
 * It executes the scripts of the lock protocol by their rules, written in TypeScript beside each `.lua` file's name, or others that it is given; a
 * differential test holds them to the scripts on a real server. Time is what `now` says, so a lease of a day runs out when the caller wants it to. Nothing happens by
 * itself: no timer, no randomness, no I/O. The same commands at the same times give the same replies.
 *
 * What it can be put through: see {@link Trouble}, {@link MemoryServer.flushScripts}, {@link MemoryServer.restart},
 * {@link MemoryServer.hangUp} and {@link MemoryServer.replicateTo}.
 *
 * Not in it: Cluster (slots, MOVED, ASK), transactions, Lua of anybody else, eviction, persistence to disk.
 */

import { createHash } from 'node:crypto';
import { clientCommands, type Server } from './client-commands.js';
import { Commands } from './commands.js';
import { type Executor, type Peer, type Request, ServerConnection } from './connection.js';
import { Keyspace } from './keyspace.js';
import { knownScripts } from './known-scripts.js';
import { type ChannelKind, PubSub } from './pub-sub.js';
import { ErrorReply, type Reply } from './reply.js';
import { type Change, Replication } from './replication.js';
import { bodies } from './scripts/index.js';
import type { ScriptBody } from './scripts/lua.js';
import { type Trouble, Troubles } from './trouble.js';

/** A timer that was set; `clearTimer` of {@link Timers} takes it. */
export interface Timers<Timer = unknown> {
  setTimer(run: () => void, delayMs: number): Timer;
  clearTimer(timer: Timer): void;
}

/** How a server is made. */
export interface MemoryServerOptions {
  /** Server time in milliseconds since 1970 or any other moment well in the past; may have fractions. It must not be 0. */
  readonly now: () => number;
  /** For the timeout of WAIT. Without them WAIT answers at once with what is known. */
  readonly timers?: Timers;
  /** What its `run_id` begins with. Default `memory`. */
  readonly name?: string;
  /** For how long it has been running already, in milliseconds, as INFO tells. Default 0. */
  readonly ageMs?: number;
  /** Scripts that take the place of those with their names: for who plants a bug. */
  readonly scripts?: Readonly<Record<string, ScriptBody>>;
  /** What becomes of an error of our own in a command: its client is answered, or it goes on to who drives the server. Default `answered`. */
  readonly bugs?: 'answered' | 'thrown';
}

/** Whether a server takes writes. */
export type Role = 'master' | 'replica';

const nameOf = new Map(knownScripts.map(({ sha, name }) => [sha, name]));
const shaOf = new Map(knownScripts.map(({ source, sha }) => [source, sha]));

/** See the module comment. */
export class MemoryServer implements Executor, Server {
  readonly commands: Commands;
  readonly name: string;
  readonly #now: () => number;
  readonly #timers: Timers | undefined;
  readonly #bugs: 'answered' | 'thrown';
  readonly #pubSub = new PubSub();
  readonly #troubles = new Troubles();
  readonly #connections = new Set<ServerConnection>();
  /** Those that it has been sent in full, by SHA. */
  readonly #knownScripts = new Map<string, ScriptBody>();
  readonly #bodies: Readonly<Record<string, ScriptBody>>;
  readonly #replications = new Set<Replication>();
  readonly #waiting = new Set<() => void>();
  #databases = new Map<number, Keyspace>();
  #role: Role = 'master';
  #readonly: Trouble | undefined;
  #runs = 1;
  #startedAt: number;
  #offset = 0;

  constructor({ now, timers, name = 'memory', ageMs = 0, scripts: planted, bugs = 'answered' }: MemoryServerOptions) {
    this.#now = now;
    this.#startedAt = now() - ageMs;
    this.#timers = timers;
    this.#bugs = bugs;
    this.name = name;
    this.#bodies = { ...bodies, ...planted };
    this.commands = new Commands({
      publish: (kind, channel, message) => this.#pubSub.publish(kind, channel, message),
      count: (channel) => this.#pubSub.count(channel),
    });
  }

  /** A new connection. */
  accept(peer: Peer): ServerConnection {
    const connection = new ServerConnection(this, peer);
    this.#connections.add(connection);
    return connection;
  }

  /** How many clients are connected. */
  get connections(): number {
    return this.#connections.size;
  }

  get role(): Role {
    return this.#role;
  }

  /** From now on commands are refused; the returned function ends that. */
  refuse(trouble: Trouble): () => void {
    // Its own, so that one may be there twice.
    const own = { ...trouble };
    this.#troubles.add(own);
    this.commands.hindrance = this.#troubles.hindrance();
    return () => {
      this.#troubles.remove(own);
      this.commands.hindrance = this.#troubles.hindrance();
    };
  }

  /** SCRIPT FLUSH: every script is unknown again. */
  flushScripts(): void {
    this.#knownScripts.clear();
  }

  /** Ends every connection, or those for which `which` says so. */
  hangUp(which: (connection: ServerConnection) => boolean = () => true): void {
    for (const connection of [...this.#connections]) if (which(connection)) connection.hangUp();
  }

  /** The process ends and another one begins: connections and scripts are gone, and the data too unless they were kept. */
  restart(data: 'data kept' | 'data lost'): void {
    this.hangUp();
    this.flushScripts();
    this.#runs++;
    this.#startedAt = this.#now();
    if (data === 'data lost') this.flushAll();
  }

  /** Every key is gone. */
  flushAll(): void {
    for (const [database, keys] of this.#databases) {
      keys.clear();
      this.#record(database, keys);
    }
  }

  /**
   * `replica` has what this server has now, and is told of what comes later: see {@link Replication}. It refuses writes until
   * {@link promote}. `onPending` is called after each change.
   */
  replicateTo(replica: MemoryServer, onPending: () => void = () => undefined): Replication {
    for (const keys of this.#databases.values()) keys.watch();
    replica.#follow(new Map([...this.#databases].map(([number, keys]) => [number, keys.copy()])));
    const replication = new Replication(this.#offset, {
      apply: (change) => replica.#apply(change),
      onPending,
      onAcknowledged: () => this.#acknowledged(),
    });
    this.#replications.add(replication);
    return replication;
  }

  /** Takes writes from now on, with what has arrived. End its {@link Replication} first. */
  promote(): void {
    this.#role = 'master';
    if (this.#readonly !== undefined) this.#troubles.remove(this.#readonly);
    this.#readonly = undefined;
    this.commands.hindrance = this.#troubles.hindrance();
  }

  /** Takes no writes from now on. Its connections stay. */
  demote(): void {
    if (this.#role === 'replica') return;
    this.#role = 'replica';
    this.#readonly = { code: 'READONLY' };
    this.#troubles.add(this.#readonly);
    this.commands.hindrance = this.#troubles.hindrance();
    for (const replication of this.#replications) replication.end();
    this.#replications.clear();
  }

  /** The keys of a database, for tests: what is changed there is replicated with the next command. */
  keysOf(database = 0): Keyspace {
    let keys = this.#databases.get(database);
    if (keys === undefined) {
      keys = new Keyspace();
      if (this.#replications.size > 0) keys.watch();
      this.#databases.set(database, keys);
    }
    keys.nowMs = Math.floor(this.#now());
    return keys;
  }

  execute(connection: ServerConnection, request: Request): Reply | undefined {
    const command = (request[0] ?? '').toLowerCase();
    const keys = this.keysOf(connection.database);
    this.commands.begin(keys, Math.floor(this.#now() * 1_000));
    let reply: Reply | undefined;
    try {
      if (this.commands.hindrance !== undefined) this.#troubles.admit(command);
      reply = this.#run(command, request, connection);
    } catch (error) {
      if (!(error instanceof ErrorReply) && this.#bugs === 'thrown') throw error;
      // A command is executed in a step of its own: there is nobody to catch it, and the process would end.
      reply = error instanceof ErrorReply ? error : new ErrorReply(`ERR ${String(error)}`, { cause: error });
    }
    if (this.#replications.size > 0) this.#record(connection.database, keys, connection);
    return reply;
  }

  closed(connection: ServerConnection): void {
    this.#connections.delete(connection);
    for (const kind of ['plain', 'sharded'] as const) {
      for (const channel of connection.subscriptions[kind]) this.#pubSub.unsubscribe(kind, channel, connection);
    }
  }

  subscribe(connection: ServerConnection, kind: ChannelKind, channel: string): void {
    connection.subscriptions[kind].add(channel);
    this.#pubSub.subscribe(kind, channel, connection);
  }

  unsubscribe(connection: ServerConnection, kind: ChannelKind, channel: string): void {
    connection.subscriptions[kind].delete(channel);
    this.#pubSub.unsubscribe(kind, channel, connection);
  }

  listeners(channel: string): number {
    return this.#pubSub.count(channel);
  }

  info(): string {
    const lines = [
      '# Server',
      'redis_version:7.2.0',
      `run_id:${this.name}-${this.#runs}`,
      `uptime_in_seconds:${Math.floor((this.#now() - this.#startedAt) / 1_000)}`,
      '# Persistence',
      `loading:${this.#troubles.has('LOADING') ? 1 : 0}`,
      '# Memory',
      'maxmemory:0',
      'maxmemory_policy:noeviction',
      '# Replication',
      `role:${this.#role === 'master' ? 'master' : 'slave'}`,
      `connected_slaves:${this.#replications.size}`,
      '',
    ];
    return lines.join('\r\n');
  }

  script([subcommand = '', ...args]: readonly string[]): Reply {
    switch (subcommand.toLowerCase()) {
      case 'flush':
        this.flushScripts();
        return 'OK';
      case 'exists':
        return args.map((sha) => (this.#knownScripts.has(sha) ? 1 : 0));
      case 'load':
        return this.#learn(args[0] ?? '');
      default:
        return new ErrorReply(`ERR unknown subcommand '${subcommand}'`);
    }
  }

  wait(connection: ServerConnection, replicas: number, timeoutMs: number): Reply | undefined {
    if (this.#role === 'replica') return new ErrorReply('ERR WAIT cannot be used with replica instances.');
    const confirmed = () => {
      let count = 0;
      for (const { acknowledged } of this.#replications) if (acknowledged >= connection.writtenUpTo) count++;
      return count;
    };
    const timers = this.#timers;
    if (confirmed() >= replicas || timers === undefined) return confirmed();
    let timer: unknown;
    const finish = () => {
      this.#waiting.delete(look);
      timers.clearTimer(timer);
      connection.answer(confirmed());
    };
    const look = () => {
      if (confirmed() >= replicas) finish();
    };
    this.#waiting.add(look);
    // 0: for ever.
    if (timeoutMs > 0) timer = timers.setTimer(finish, timeoutMs);
    return undefined;
  }

  #run(command: string, request: Request, connection: ServerConnection): Reply | undefined {
    if (command === 'evalsha') {
      const body = this.#knownScripts.get(request[1] ?? '');
      if (body === undefined) return new ErrorReply('NOSCRIPT No matching script. Please use EVAL.');
      return this.#call(body, request);
    }
    if (command === 'eval') {
      const sha = this.#learn(request[1] ?? '');
      return this.#call(this.#knownScripts.get(sha) as ScriptBody, request);
    }
    const known = clientCommands[command];
    if (known === undefined) return new ErrorReply(`ERR unknown command '${command}'`);
    return known(this, request.slice(1), connection);
  }

  #call(body: ScriptBody, request: Request): Reply {
    const keys = 3 + Number(request[2]);
    return body(this.commands, request.slice(3, keys), request.slice(keys));
  }

  /** Returns its SHA. */
  #learn(source: string): string {
    const sha = shaOf.get(source) ?? createHash('sha1').update(source).digest('hex');
    const body = this.#bodies[nameOf.get(sha) ?? ''];
    if (body === undefined) throw new ErrorReply(`ERR this server runs the scripts of holdfast only, not ${sha}`);
    this.#knownScripts.set(sha, body);
    return sha;
  }

  #follow(databases: Map<number, Keyspace>): void {
    this.demote();
    this.#databases = databases;
  }

  #apply({ database, entries }: Change): void {
    const keys = this.keysOf(database);
    for (const [key, entry] of entries) keys.apply(key, entry);
  }

  #record(database: number, keys: Keyspace, connection?: ServerConnection): void {
    const entries = keys.takeChanges();
    if (entries.length === 0) return;
    const change: Change = { offset: ++this.#offset, database, entries };
    if (connection !== undefined) connection.writtenUpTo = this.#offset;
    for (const replication of this.#replications) replication.note(change);
  }

  #acknowledged(): void {
    for (const look of this.#waiting) look();
  }
}
