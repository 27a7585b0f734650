/**
 * A connection in the shape of an ioredis `Redis`, over a {@link Network} that leads to memory servers.
 *
 * It behaves as ioredis 6 does towards who uses it: the same states in the same order, told by the same events; answers in the order of the
 * commands; what is in flight at a disconnect is sent again or rejected by the same options (`autoResendUnfulfilledCommands`,
 * `maxRetriesPerRequest`, `enableOfflineQueue`, `retryStrategy`). Arguments and replies are turned into what they are there
 * ({@link MemoryCommand}).
 *
 *   wait -> connecting -> connect -> ready -> close -> reconnecting -> connecting …
 *                 |          |                  |
 *                 +----------+------> close     +-> end
 *
 * Two things differ on purpose: its timers are those that it is given, and its events come in a microtask, where ioredis uses `process.nextTick`,
 * which fake timers stop.
 *
 * Not in it: Sentinel, Cluster, TLS, passwords, pipelines, transactions, auto-pipelining, monitor mode.
 */

import type { Redis, RedisOptions } from 'ioredis';
import type { Frame } from '../server/connection.js';
import type { Timers } from '../server/memory-server.js';
import { ErrorReply, type Reply } from '../server/reply.js';
import { CommandMethods } from './command-methods.js';
import type { MemoryCommand } from './memory-command.js';
import { MemoryStream } from './memory-stream.js';
import { type Network, type Socket, soon } from './network.js';
import { requestOf } from './request.js';

/** As {@link Redis.status}. */
export type Status = 'wait' | 'connecting' | 'connect' | 'ready' | 'close' | 'reconnecting' | 'end';

/** Where a connection lives. */
export interface Place {
  readonly network: Network;
  readonly timers: Timers;
}

/** As {@link Redis.options}, with what every connection has. */
export type MemoryRedisOptions = RedisOptions &
  Required<Pick<RedisOptions & { host: string; port: number }, 'host' | 'port' | 'db' | 'connectTimeout'>> & {
    readonly disconnectTimeout: number;
  };

/** Not for use: where ioredis has a connector of the caller's, no host and port is dialled, by us neither (see the probe for TLS). */
const ownConnector = () => undefined;

/** Unless the options say otherwise, as in ioredis 6. */
const defaults: MemoryRedisOptions = {
  host: 'localhost',
  port: 6379,
  db: 0,
  keyPrefix: '',
  connectTimeout: 10_000,
  disconnectTimeout: 2_000,
  retryStrategy: (times) => Math.min(2 ** (times - 1) * 50, 5_000),
  enableOfflineQueue: true,
  enableReadyCheck: true,
  autoResubscribe: true,
  autoResendUnfulfilledCommands: true,
  lazyConnect: false,
  maxRetriesPerRequest: 20,
  role: 'master',
  Connector: ownConnector as never,
};

const CLOSED = 'Connection is closed.';
/** A server that loads its data is asked again after this. */
const LOADING_RETRY_MS = 1_000;
const handshake: ReadonlySet<string> = new Set(['info', 'select']);

/** What waits for an answer, or for a connection. `select`: the database that it is meant for. */
interface Pending {
  readonly command: MemoryCommand;
  readonly select: number;
  /** Replies that are still to come before it is answered: one for each channel of a SUBSCRIBE. */
  left: number;
}

/** See the module comment. Make one with {@link memoryRedis}. */
export class MemoryRedis extends CommandMethods {
  readonly options: MemoryRedisOptions;
  readonly isCluster = false;
  status: Status = 'wait';
  condition: { select: number; subscriber: false } | undefined;
  stream: MemoryStream | undefined;
  /** Not private by `#`: a monitoring tool, and holdfast itself, look at a connection through an object that stands before it. */
  private readonly place: Place;
  private socket: Socket | undefined;
  private inFlight: Pending[] = [];
  private offline: Pending[] = [];
  /** What was in flight when the last connection that had been ready was lost. */
  private unfulfilled: Pending[] = [];
  private readonly channels = { subscribe: new Set<string>(), ssubscribe: new Set<string>() };
  private heard: { subscribe: string[]; ssubscribe: string[]; select: number } | undefined;
  private attempts = 0;
  private manuallyClosing = false;
  private retry: unknown;
  private limit: unknown;
  /** The handshake has been answered. */
  private introduced = false;

  constructor(place: Place, options: RedisOptions = {}) {
    super();
    this.place = place;
    this.options = { ...defaults, ...given(options) };
    if (!this.options.lazyConnect) void this.connect().catch(() => undefined);
  }

  get mode(): 'normal' {
    return 'normal';
  }

  connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.status === 'connecting' || this.status === 'connect' || this.status === 'ready') {
        reject(new Error('Redis is already connecting/connected'));
        return;
      }
      this.setStatus('connecting');
      this.condition = { select: this.options.db, subscriber: false };
      this.introduced = false;
      const { host, port, connectTimeout } = this.options;
      const stream = new MemoryStream();
      this.stream = stream;
      const close = (error?: Error) => {
        if (this.stream !== stream || stream.destroyed) return;
        stream.destroyed = true;
        stream.writable = false;
        this.clear('limit');
        if (error !== undefined) this.fail(error);
        stream.emit('close');
        this.closed();
      };
      const socket = this.place.network.dial(
        { host, port },
        {
          onOpen: () => {
            if (stream.destroyed) return;
            this.clear('limit');
            this.opened();
          },
          onFrame: (frame) => {
            if (!stream.destroyed) this.receive(frame);
          },
          onClose: close,
        },
      );
      this.socket = socket;
      stream.close = close;
      if (connectTimeout !== undefined) {
        this.limit = this.place.timers.setTimer(() => {
          socket.destroy();
          close(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'connect' }));
        }, connectTimeout);
      }
      const ready = () => {
        this.off('close', over);
        resolve();
      };
      const over = () => {
        this.off('ready', ready);
        reject(new Error(CLOSED));
      };
      this.once('ready', ready);
      this.once('close', over);
    });
  }

  disconnect(reconnect = false): void {
    if (!reconnect) this.manuallyClosing = true;
    if (!reconnect && this.retry !== undefined) this.clear('retry');
    if (this.status === 'wait') {
      this.closed();
      return;
    }
    const { stream, socket } = this;
    if (stream === undefined || stream.destroyed || !stream.writable) return;
    stream.writable = false;
    this.clear('limit');
    socket?.end();
    // A peer that has vanished does not say goodbye.
    this.limit = this.place.timers.setTimer(() => {
      socket?.destroy();
      stream.close?.();
    }, this.options.disconnectTimeout);
  }

  duplicate(override: RedisOptions = {}): MemoryRedis {
    return new MemoryRedis(this.place, { ...this.options, ...override });
  }

  sendCommand(command: MemoryCommand): Promise<unknown> {
    if (this.status === 'wait') void this.connect().catch(() => undefined);
    if (this.status === 'end') {
      command.reject(new Error(CLOSED));
      return command.promise;
    }
    this.limitTime(command);
    const pending = this.pendingOf(command);
    const writable =
      this.stream?.writable === true &&
      (this.status === 'ready' || (this.status === 'connect' && !this.introduced && handshake.has(command.name)));
    if (writable) {
      this.inFlight.push(pending);
      this.socket?.send(requestOf(command));
    } else if (this.options.enableOfflineQueue) {
      this.offline.push(pending);
    } else {
      command.reject(new Error("Stream isn't writeable and enableOfflineQueue options is false"));
      return command.promise;
    }
    if (command.name === 'quit') this.manuallyClosing = true;
    if (command.name === 'select' && this.condition !== undefined) this.condition.select = Number(command.args[0]);
    return command.promise;
  }

  private pendingOf(command: MemoryCommand): Pending {
    const channels = command.name === 'subscribe' || command.name === 'ssubscribe';
    return {
      command,
      select: this.condition?.select ?? this.options.db,
      left: channels ? Math.max(1, command.args.length) : 1,
    };
  }

  private limitTime(command: MemoryCommand): void {
    const { commandTimeout } = this.options;
    if (typeof commandTimeout !== 'number') return;
    const { timers } = this.place;
    const timer = timers.setTimer(() => command.reject(new Error('Command timed out')), commandTimeout);
    const answered = () => timers.clearTimer(timer);
    void command.promise.then(answered, answered);
  }

  private opened(): void {
    this.inFlight = [];
    this.setStatus('connect');
    void this.introduce();
  }

  /** What ioredis does before it calls a connection ready. */
  private async introduce(): Promise<void> {
    const { stream } = this;
    const current = () => this.stream === stream && this.status === 'connect';
    try {
      const { select } = this.condition ?? { select: 0 };
      if (select > 0) await this.select(select).catch((error: Error) => this.fail(error));
      for (let checking = this.options.enableReadyCheck === true; checking && current(); ) {
        const info = await this.info();
        checking = /^loading:1\r?$/m.test(info);
        if (checking) await new Promise<void>((done) => void this.place.timers.setTimer(done, LOADING_RETRY_MS));
      }
      if (current()) this.becomeReady();
    } catch (error) {
      if (!current()) return;
      this.flush(error as Error);
      this.fail(error as Error);
      this.disconnect(true);
    }
  }

  private becomeReady(): void {
    this.introduced = true;
    this.setStatus('ready');
    this.attempts = 0;
    const { heard, unfulfilled, offline } = this;
    this.heard = undefined;
    if (heard !== undefined) {
      if (this.condition?.select !== heard.select) void this.select(heard.select).catch(() => undefined);
      if (this.options.autoResubscribe) {
        const again: Promise<unknown>[] = [];
        if (heard.subscribe.length > 0) again.push(this.subscribe(...heard.subscribe));
        for (const channel of heard.ssubscribe) again.push(this.ssubscribe(channel));
        for (const sent of again) sent.catch(() => undefined);
      }
    }
    this.unfulfilled = [];
    this.offline = [];
    if (this.options.autoResendUnfulfilledCommands) for (const pending of unfulfilled) this.sendAgain(pending);
    for (const pending of offline) this.sendAgain(pending);
  }

  private sendAgain({ command, select }: Pending): void {
    if (select !== this.condition?.select && command.name !== 'select') void this.select(select).catch(() => undefined);
    void this.sendCommand(command);
  }

  private receive(frame: Frame): void {
    if (frame.kind === 'message') {
      this.emit(frame.channels === 'plain' ? 'message' : 'smessage', frame.channel, frame.message);
      return;
    }
    const pending = this.inFlight[0];
    if (pending === undefined) return;
    const { reply } = frame;
    if (reply instanceof ErrorReply) {
      this.inFlight.shift();
      this.refused(pending.command, reply);
      return;
    }
    if (--pending.left > 0) return;
    this.inFlight.shift();
    this.settle(pending.command, reply);
  }

  private settle(command: MemoryCommand, reply: Reply): void {
    const { name, args } = command;
    if (name === 'subscribe' || name === 'ssubscribe') {
      for (const channel of args) this.channels[name].add(channel);
    } else if (name === 'unsubscribe' || name === 'sunsubscribe') {
      const channels = this.channels[name === 'unsubscribe' ? 'subscribe' : 'ssubscribe'];
      if (args.length === 0) channels.clear();
      for (const channel of args) channels.delete(channel);
    } else {
      command.resolve(reply);
      return;
    }
    command.resolve((reply as readonly Reply[])[2]);
  }

  private refused({ name, args, reject }: MemoryCommand, { message }: ErrorReply): void {
    const error = Object.assign(new Error(message), { command: { name, args } });
    error.name = 'ReplyError';
    const again = this.introduced ? (this.options.reconnectOnError?.(error) ?? false) : false;
    if (again !== false) this.disconnect(true);
    reject(error);
  }

  /** The connection is over, or was never begun. */
  private closed(): void {
    const wasReady = this.status === 'ready';
    this.setStatus('close');
    this.clear('limit');
    if (wasReady) {
      const { subscribe, ssubscribe } = this.channels;
      this.heard ??= {
        subscribe: [...subscribe],
        ssubscribe: [...ssubscribe],
        select: this.condition?.select ?? this.options.db,
      };
      subscribe.clear();
      ssubscribe.clear();
      if (this.inFlight.length > 0) this.unfulfilled = this.inFlight;
    }
    if (this.manuallyClosing) {
      this.manuallyClosing = false;
      this.end();
      return;
    }
    const { retryStrategy, maxRetriesPerRequest } = this.options;
    const delayMs = typeof retryStrategy === 'function' ? retryStrategy(++this.attempts) : null;
    if (typeof delayMs !== 'number') {
      this.end();
      return;
    }
    this.setStatus('reconnecting', delayMs);
    this.retry = this.place.timers.setTimer(() => {
      this.retry = undefined;
      void this.connect().catch(() => undefined);
    }, delayMs);
    if (typeof maxRetriesPerRequest !== 'number' || maxRetriesPerRequest < 0) return;
    if (this.attempts % (maxRetriesPerRequest + 1) !== 0) return;
    const error = new Error(
      `Reached the max retries per request limit (which is ${maxRetriesPerRequest}). Refer to "maxRetriesPerRequest" option for details.`,
    );
    error.name = 'MaxRetriesPerRequestError';
    this.flush(error);
  }

  private end(): void {
    this.setStatus('end');
    this.flush(new Error(CLOSED));
  }

  private flush(error: Error): void {
    // In place: until there is another connection what is in flight is also what would be sent again. After that it is not touched.
    const pending = [...this.offline.splice(0), ...this.inFlight.splice(0)];
    for (const { command } of pending) command.reject(error);
  }

  private fail(error: Error): void {
    if (this.status === 'end') return;
    if (this.manuallyClosing && 'syscall' in error) return;
    if (this.listenerCount('error') > 0) this.emit('error', error);
    else console.error('[ioredis] Unhandled error event:', error);
  }

  private clear(which: 'retry' | 'limit'): void {
    if (this[which] !== undefined) this.place.timers.clearTimer(this[which]);
    this[which] = undefined;
  }

  private setStatus(status: Status, detail?: unknown): void {
    this.status = status;
    soon(() => this.emit(status, detail));
  }
}

function given<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

/** A connection for whoever takes an ioredis client. */
export function memoryRedis(place: Place, options: RedisOptions = {}): Redis {
  return new MemoryRedis(place, options) as unknown as Redis;
}
