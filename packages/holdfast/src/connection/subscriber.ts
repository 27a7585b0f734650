/**
 * The connection that listens: one per client, for its whole life, opened with the first acquisition that may have to wait.
 *
 * It is a duplicate of the command connection with everything undone that would make it lose messages or hang (`listening`). Subscribing again after a reconnect is done here and not by ioredis, because
 * only then do we know *when* the server has confirmed it, and a waiter must ask again after that moment.
 *
 * In a Cluster any server hears every channel. There the connection does not come back by itself: it is opened anew, to another server.
 */

import { quietWait, type SubscriberListener, type SubscriberPort, type Wait } from '@holdfast/notify';
import type { Redis, RedisOptions } from 'ioredis';
import { apart } from '../scopes/scope.js';
import { connect } from './connect.js';
import { HandshakeLimit } from './handshake-limit.js';
import { disconnect } from './disconnect.js';
import type { Topology } from './topology.js';
import { listening } from './connection-options.js';
import type { ConnectionTools } from './connection-tools.js';
import { whenRead } from './reading.js';
import { redacted, meaningOf } from './reply-errors.js';
import { addressOf, isBeginningAgain, isSequel } from './trouble.js';
import { plain, type PubSubCommands } from './pub-sub-commands.js';

const forMessages: RedisOptions = {
  ...listening,
  lazyConnect: true,
  enableOfflineQueue: true,
  autoResendUnfulfilledCommands: true,
};

/** Busy or loading, no server to go to, or not sent: tried again after this. */
const RETRY_MS = 100;
/** A channel that was ours and is refused after a reconnect: the right to it was taken away, and may come back. */
const REFUSED_RETRY_MS = 1_000;
/** So many messages in a row that should have come and did not, on a connection that answers: it listens in the wrong place. */
const MOST_MISSED = 2;

/** Where its connections come from. */
export type SubscriberSource = Pick<Topology, 'ended' | 'openSubscriber' | 'trustsReceivers'>;

interface Channel {
  /** Settles when the server has confirmed, or refused for good. */
  readonly confirmation: Wait<void>;
  /** The server has confirmed on the present connection. */
  heard: boolean;
  /** It was refused for now. */
  again?: { cancel(): void };
}

/**
 * See the module comment. `subscribe` settles when the server has confirmed or refused, or the subscriber is closed. A connection that
 * does not answer is replaced; a server that is down is waited for, because without it there is nothing to wake a waiter for.
 */
export class Subscriber implements SubscriberPort {
  readonly #topology: SubscriberSource;
  readonly #tools: ConnectionTools;
  readonly #pubSub: PubSubCommands;
  readonly #listeners: SubscriberListener[] = [];
  readonly #channels = new Map<string, Channel>();
  #redis: Redis | undefined;
  /** A connection is about to be opened. */
  #opening = false;
  #handshake: HandshakeLimit | undefined;
  #closed = false;
  /** The last error, until a connection is up. */
  #trouble: Error | undefined;
  #probing = false;
  #missed = 0;

  constructor(topology: SubscriberSource, tools: ConnectionTools, pubSub: PubSubCommands = plain) {
    this.#topology = topology;
    this.#tools = tools;
    this.#pubSub = pubSub;
  }

  /** Why nothing is heard, as far as is known. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  listen(listener: SubscriberListener): void {
    this.#listeners.push(listener);
  }

  subscribe(channel: string): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The subscriber is closed'));
    const known = this.#channels.get(channel);
    if (known !== undefined) return known.confirmation.promise;
    // A promise keeps the context it was made in, up to Node 22.
    const confirmation = apart(() => quietWait<void>());
    this.#channels.set(channel, { confirmation, heard: false });
    this.resume();
    if (this.#redis?.status === 'ready') void this.#send(this.#redis, channel);
    return confirmation.promise;
  }

  async unsubscribe(channel: string): Promise<void> {
    this.#channels.get(channel)?.again?.cancel();
    this.#channels.delete(channel);
    const redis = this.#redis;
    // A connection that is being closed takes its subscriptions along, and would refuse the command.
    if (this.#closed || redis?.status !== 'ready') return;
    try {
      await this.#within(redis, this.#pubSub.unsubscribe(redis, channel));
    } catch (error) {
      // So does one that has ended meanwhile: the next one is not asked for this channel.
      if (!hasEnded(redis)) throw error;
    }
  }

  /** A message that was sent did not come: replaces the connection unless it answers within `limitMs` and has only just begun to fail. */
  async missed(limitMs: number): Promise<void> {
    if (this.#redis?.status !== 'ready' || this.#probing) return;
    if (++this.#missed < MOST_MISSED || this.#topology.trustsReceivers) {
      await this.probe(limitMs);
      return;
    }
    this.#missed = 0;
    this.reconnect();
  }

  /** A message may not have been sent because nobody listened here: replaces the connection unless it answers within `limitMs`. */
  async probe(limitMs: number): Promise<void> {
    const redis = this.#redis;
    if (redis?.status !== 'ready' || this.#probing) return;
    this.#probing = true;
    try {
      await this.#within(redis, redis.ping(), limitMs);
    } catch (error) {
      if (!this.#closed) this.#failed(redis, error);
    } finally {
      this.#probing = false;
    }
  }

  /** The server has confirmed this channel on the present connection. */
  hears(channel: string): boolean {
    return this.#channels.get(channel)?.heard === true;
  }

  /** Opens the connection anew: what was heard so far may have stopped. */
  reconnect(): void {
    if (this.#redis?.status === 'ready') this.#redis.disconnect(true);
  }

  /** The way to the server is there. It may have been given up before, by a client of yours that you have connected again, and this connection with it. */
  resume(): void {
    if (this.#redis === undefined && !this.#opening && this.#channels.size > 0) this.#open(undefined);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { again, confirmation } of this.#channels.values()) {
      again?.cancel();
      confirmation.reject(new Error('The subscriber is closed'));
    }
    this.#channels.clear();
    this.#handshake?.close();
    if (this.#redis !== undefined) await disconnect(this.#redis);
  }

  /** @param instead - the connection that is over. */
  #open(instead: Redis | undefined): void {
    this.#opening = false;
    this.#redis = undefined;
    if (this.#closed || this.#topology.ended) return;
    const redis = apart(() => this.#topology.openSubscriber(forMessages, instead));
    if (redis === undefined) {
      this.#reopenSoon(instead);
      return;
    }
    this.#redis = redis;
    this.#handshake = new HandshakeLimit(redis, this.#tools);
    redis.on(this.#pubSub.message, (channel: string, message: string) => {
      this.#missed = 0;
      for (const listener of this.#listeners) listener.onMessage(channel, message);
    });
    redis.on('close', () => {
      for (const channel of this.#channels.values()) channel.heard = false;
      for (const listener of this.#listeners) listener.onLost();
    });
    redis.on('ready', () => void this.#restore(redis));
    redis.on('end', () => this.#reopenSoon(redis));
    // What ends because we end it is no trouble.
    redis.on('error', (error) => {
      if (!this.#closed && !isBeginningAgain(redacted(error))) this.#failed(redis, error);
    });
    // ioredis 6: the server has ended a subscription because its slot has gone.
    redis.on('moved', () => this.reconnect());
    connect(redis, this.#tools);
  }

  #reopenSoon(instead: Redis | undefined): void {
    if (this.#closed) return;
    if (this.#channels.size === 0) {
      this.#redis = undefined;
      return;
    }
    this.#opening = true;
    this.#tools.after(RETRY_MS, () => this.#open(instead));
  }

  /** Connected, for the first time or again. A channel that is refused does not keep the others waiting. */
  async #restore(redis: Redis): Promise<void> {
    this.#trouble = undefined;
    await Promise.all([...this.#channels.keys()].map((channel) => this.#send(redis, channel)));
    this.#restored(redis);
  }

  #restored(redis: Redis): void {
    // Lost again meanwhile: the next connection restores.
    if (this.#closed || redis.status !== 'ready') return;
    const missing = new Set<string>();
    for (const [name, { confirmation, heard }] of this.#channels) if (confirmation.settled && !heard) missing.add(name);
    for (const listener of this.#listeners) listener.onRestored(missing);
  }

  async #sendAgain(redis: Redis, channel: string): Promise<void> {
    if (redis !== this.#redis || redis.status !== 'ready') return;
    await this.#send(redis, channel);
    if (this.#channels.get(channel)?.heard) this.#restored(redis);
  }

  /** A connection that does not answer is replaced: what waits for it is sent again on the next one. */
  async #within<T>(redis: Redis, answer: Promise<T>, limitMs = this.#tools.silenceMs): Promise<T> {
    const { after, nextTurn } = this.#tools;
    let answered = false;
    const replace = () => whenRead(nextTurn, () => !answered && redis.disconnect(true));
    const limit = after(limitMs, replace);
    try {
      return await answer;
    } finally {
      answered = true;
      limit.cancel();
    }
  }

  #failed(redis: Redis, error: unknown): void {
    const trouble = redacted(error);
    if (this.#trouble === undefined || !isSequel(trouble)) this.#trouble = trouble;
    this.#tools.onError(`messages from ${addressOf(redis)}`, error);
  }

  async #send(redis: Redis, name: string): Promise<void> {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    channel.again?.cancel();
    try {
      await this.#within(redis, this.#pubSub.subscribe(redis, name));
      channel.heard = true;
      channel.confirmation.resolve();
      for (const listener of this.#listeners) listener.onConfirmed?.(name);
    } catch (error) {
      if (this.#closed || this.#channels.get(name) !== channel) return;
      this.#failed(redis, error);
      const meaning = meaningOf(error);
      // Another server keeps the slot of a sharded channel: the waiters have to look for that server.
      const kind = meaning.kind === 'transient' && meaning.code === 'MOVED' ? 'moved' : meaning.kind;
      if (kind === 'moved' || (kind === 'permanent' && !channel.confirmation.settled)) {
        this.#channels.delete(name);
        channel.confirmation.reject(redacted(error));
        return;
      }
      const delayMs = kind === 'permanent' ? REFUSED_RETRY_MS : RETRY_MS;
      // ioredis may have sent one again that was unanswered when the connection was lost: two are refused then.
      channel.again?.cancel();
      // Where the connection is lost, the next one sends it before.
      channel.again = this.#tools.after(delayMs, () => void this.#sendAgain(redis, name));
    }
  }
}

function hasEnded(redis: Redis): boolean {
  return redis.status === 'end';
}
