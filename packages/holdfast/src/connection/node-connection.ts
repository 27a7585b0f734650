/**
 * The connection to one server, and each that takes its place when it is lost. Can it be given a command, and is it still the same one?
 *
 * Nothing is given to ioredis unless its status is `ready`. Otherwise a command sits in ioredis' own queues, out of our sight, and settles
 * late or never. Waiting for `ready` happens in the `CommandSender`, inside the caller's deadline, and counts as definitely not sent.
 *
 * `epoch` counts the connections that ended. A command sent in an earlier epoch and not answered may or may not have run.
 */

import type { Redis } from 'ioredis';
import { connect } from './connect.js';
import { HandshakeLimit } from './handshake-limit.js';
import type { ConnectionTools } from './connection-tools.js';
import { Counterpart } from './counterpart.js';
import { WriteBatch } from './write-batch.js';
import { Approach, type Reach } from './reach.js';
import { Placement } from './placement.js';
import { redacted } from './reply-errors.js';
import { type IoredisPort, ioredisScriptPort } from './ioredis-script-port.js';
import type { SentinelRound } from './sentinel-round.js';
import { RoundTrips } from './round-trips.js';
import { SilenceGuard } from './silence-guard.js';
import { PortProbe } from './port-probe.js';
import { addressOf, brokenConnection, isBeginningAgain, isLasting, isLoading, isSequel } from './trouble.js';
import { type Connection, type ConnectionListener, type OwnedRedis, type ReplicaTerms } from './connection.js';
import { disconnect } from './disconnect.js';
import { listenTo } from './listen-to.js';
import { ConnectedKeyspace, type Keyspace } from './keyspace.js';

/** Where a server refuses everything, its connection is not replaced more often than this. */
const RECYCLE_PAUSE_MS = 300;

/** See the module comment. */
export class NodeConnection implements Connection {
  readonly keyspace: Keyspace = new ConnectedKeyspace(this);
  readonly node: string;
  readonly redis: Redis;
  readonly port: IoredisPort;
  readonly #ownership: OwnedRedis['ownership'];
  readonly #listener: ConnectionListener;
  readonly #tools: ConnectionTools;
  readonly #silence: SilenceGuard;
  readonly #handshake: HandshakeLimit | undefined;
  readonly #portProbe: PortProbe;
  readonly #ofSentinels: SentinelRound | undefined;
  readonly #approach: Approach;
  readonly #batch = new WriteBatch();
  #epoch = 0;
  readonly #roundTrips = new RoundTrips();
  #closed = false;
  /** The last error, until a later connection is up. */
  #trouble: Error | undefined;
  /** The number of the connection that had it. */
  #troubledEpoch = 0;
  /** The connection broke, or the last attempt to make one did. */
  #broken: boolean;
  #downAt = Infinity;
  readonly #placement: Placement;
  /** The WAIT under way on the present connection. */
  #confirming: Promise<number> | undefined;
  readonly #counterpart: Counterpart;
  readonly #stop: () => void;
  #replacedAt = -Infinity;

  constructor(
    node: string,
    { redis, ownership }: OwnedRedis,
    listener: ConnectionListener,
    tools: ConnectionTools,
    ofSentinels?: SentinelRound,
  ) {
    this.node = node;
    this.redis = redis;
    this.port = ioredisScriptPort(redis, this.#askedAgain);
    this.#ownership = ownership;
    this.#listener = listener;
    this.#tools = tools;
    this.#silence = new SilenceGuard(tools, () => this.recycle());
    this.#approach = new Approach(tools);
    this.#counterpart = new Counterpart(redis, this, listener, tools);
    this.#broken = redis.status === 'close' || redis.status === 'reconnecting';
    const placed = { onPlaced: () => this.#up(), onRefused: this.#failed };
    this.#placement = new Placement(redis, placed, { connection: this, silence: this.#silence, tools });
    this.#ofSentinels = ofSentinels;
    this.#stop = listenTo(redis, { ready: this.#connected, close: this.#down });
    // Without any listener ioredis prints the errors. A first one on yours would silence it.
    if (ownership === 'ours' || redis.listenerCount('error') > 0) redis.on('error', this.#failed);
    this.#portProbe = new PortProbe(redis, tools, this.#failed);
    if (ownership === 'ours') this.#handshake = new HandshakeLimit(redis, tools, this.#failed);
  }

  get ready(): boolean {
    return this.redis.status === 'ready' && this.#placement.sure && !this.#broken && !this.#closed;
  }

  get retired(): boolean {
    return this.#closed;
  }

  /** The connection is over and ioredis will not try again. */
  get ended(): boolean {
    return this.#closed || this.redis.status === 'end';
  }

  get epoch(): number {
    return this.#epoch;
  }

  get trouble(): Error | undefined {
    if (this.ready) return this.#counterpart.role === 'replica' ? new Error('READONLY') : undefined;
    return this.#portProbe.finding ?? this.#trouble ?? this.#unshaken();
  }

  /** It has been asked what it is, and is no replica, which would refuse every lock. */
  get takesLocks(): boolean {
    return this.#counterpart.role === 'master';
  }

  /** See {@link Topology.stir}. */
  stir(): boolean {
    return this.#counterpart.stir();
  }

  /** A server that speaks no TLS waits for more of our handshake, or hangs up: neither is an error to ioredis. */
  #unshaken(): Error | undefined {
    const { options, status } = this.redis;
    if (!options.tls || this.#closed || !['connecting', 'close', 'reconnecting'].includes(status)) return undefined;
    return new Error(`No TLS connection to ${addressOf(this.redis)} has come about: does that port speak TLS?`);
  }

  /** What is known of the way to its server. */
  get reach(): Reach {
    if (this.ready) return { state: 'connected', silentMs: this.#silence.silentMs(this.#tools.now()) };
    if (this.#trouble !== undefined || this.ended) return { state: 'down' };
    return this.#broken ? { state: 'down', silentMs: this.#tools.now() - this.#downAt } : this.#approach.reach;
  }

  sent(at: number): void {
    this.#silence.sent(at);
    this.#counterpart.ask();
  }

  get roundTripMs(): number {
    return this.#roundTrips.typicalMs;
  }

  took(ms: number, at: number): void {
    this.#roundTrips.took(ms);
    this.#counterpart.heard(at);
  }

  answered(at: number): void {
    this.#silence.answered(at);
  }

  /** The server has answered that it does not know a script, and is given it. */
  readonly #askedAgain = (): void => {
    const now = this.#tools.now();
    this.#silence.answered(now);
    this.#silence.sent(now);
  };

  gather(): void {
    this.#batch.gather(this.redis.stream);
  }

  /**
   * WAIT holds up everything behind it, so there is one at a time. It covers all that was answered before its own answer: on one connection
   * that was executed before it.
   */
  async replicated({ min, timeoutMs }: ReplicaTerms, epoch: number): Promise<number> {
    const ofThisConnection = () => {
      if (this.#epoch !== epoch || !this.ready) throw new Error(brokenConnection);
    };
    ofThisConnection();
    const confirming = (this.#confirming ??= this.port.wait(min, timeoutMs).finally(() => {
      if (this.#confirming === confirming) this.#confirming = undefined;
    }));
    const confirmed = await confirming;
    // A client of yours may have sent it again, on another connection.
    ofThisConnection();
    return confirmed;
  }

  /** Where one answer is out of step those behind it are too: what is under way is asked again on a new connection, if that is ours to open. */
  outOfStep(error: Error): 'replaced' | 'kept' {
    this.#tools.onError(`commands to ${addressOf(this.redis)}`, error);
    this.recycle();
    return this.#ownership === 'ours' ? 'replaced' : 'kept';
  }

  /** A call needs it: starts a connection that was created lazily. */
  connect(): void {
    this.#counterpart.ask();
    if (this.ready || this.ended) return;
    this.#approach.begin();
    this.#portProbe.begin();
    // One of yours may have been connected before we came.
    if (this.redis.status === 'ready' && !this.#broken && this.#trouble === undefined) this.#placement.choose();
    connect(this.redis, this.#tools, (error) => {
      this.#failed(error);
      // There was no connection that had it.
      this.#troubledEpoch = this.#epoch - 1;
    });
  }

  /** Replaces a connection of ours that is open but of no use: silent, out of step, or to a server that is no master. Yours is left alone. */
  recycle(): void {
    const now = this.#tools.now();
    const isOpen = this.#ownership === 'ours' && !this.#closed && this.redis.status === 'ready';
    if (!isOpen || now - this.#replacedAt < RECYCLE_PAUSE_MS) return;
    this.#replacedAt = now;
    // ioredis tells of the close later, and takes commands until then that it does not send: nothing speaks for the way to the server any more.
    this.#broken = true;
    if (this.#placement.sure) this.#downAt = now;
    this.#placement.forget();
    this.redis.disconnect(true);
  }

  /** Its server refuses what only a master does. */
  demoted(): void {
    this.recycle();
    this.#counterpart.refused();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stop();
    this.#silence.close();
    this.#approach.end();
    this.#handshake?.close();
    this.#portProbe.close();
    if (this.#ownership === 'ours') await disconnect(this.redis);
    this.redis.off('error', this.#failed);
  }

  readonly #connected = (): void => {
    this.#broken = false;
    this.#placement.connected();
  };

  #up(): void {
    this.#approach.end();
    // Trouble of this very connection stays: ioredis 5 is ready for a moment also after a refused AUTH, where the default user has no password.
    if (this.#troubledEpoch < this.#epoch) this.#trouble = undefined;
    this.#listener.onUp();
    // Nothing may be sent here for long. Others wait for what another server does not know, or to hear that it takes locks.
    this.#counterpart.connected();
  }

  readonly #down = (): void => {
    this.#epoch++;
    this.#broken = true;
    if (this.#placement.sure) this.#downAt = this.#tools.now();
    this.#placement.forget();
    this.#approach.end();
    this.#silence.forget();
    this.port.inFull?.clear();
    this.#confirming = undefined;
    this.#counterpart.forget();
    this.#listener.onDown();
  };

  readonly #failed = (error: unknown): void => {
    const told = redacted(error);
    const unnamed = this.#ofSentinels?.(told);
    const trouble = unnamed ?? told;
    if (isBeginningAgain(trouble) || (this.#trouble !== undefined && isSequel(trouble))) return;
    this.#trouble = trouble;
    // Sentinels are asked before there is a connection, and what loads is ready when it has: the next one is without that trouble.
    this.#troubledEpoch = unnamed || trouble.message === isLoading ? this.#epoch - 1 : this.#epoch;
    // Yours are told to you by your own listener, and what ends because we end it is no trouble.
    if (this.#ownership === 'ours' && !this.#closed)
      this.#tools.onError(`commands to ${addressOf(this.redis)}`, trouble);
    if (isLasting(trouble) && !this.ready) this.#listener.onLastingTrouble(trouble);
  };
}
