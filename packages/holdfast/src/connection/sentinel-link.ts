/**
 * Hears from one sentinel that another server has become the master: when it says so, and, where it could not be heard, when it can be again.
 *
 * Each new connection asks it who the master is. Only what has changed since it was last heard counts: one that lags behind names the old master as it
 * did before, and leads nobody there.
 *
 * It is asked again every few seconds. Of a master that it was given by hand (`SENTINEL MONITOR`), or that has another address since (`resolve-hostnames`), it says
 * nothing by itself; and nothing else may pass here for days, which is when a firewall forgets a connection without a word.
 */

import type { Redis } from 'ioredis';
import { attempt } from './attempt.js';
import { connect } from './connect.js';
import { hostAndPort } from './address.js';
import { listening } from './connection-options.js';
import type { ConnectionTools } from './connection-tools.js';
import { disconnect } from './disconnect.js';
import { withCredentialsOf } from './live-credentials.js';
import { redacted } from './reply-errors.js';
import { SilenceGuard } from './silence-guard.js';

const RETRY_MS = 1_000;
const DEFAULT_PORT = 26_379;
/**
 * How often it is asked, and within what time. For one beat and one answer we may be deaf: sentinels take as long to agree on a failover. No firewall forgets as soon, so
 * TCP keepalive would add nothing.
 */
const BEAT_MS = 3_000;

/** Where a sentinel is. */
export interface SentinelAddress {
  host: string;
  port: number;
  family: number;
}

/** A host, which may be a name, and a port. */
export type Place = readonly [host: string, port: string];

/** Told by a {@link SentinelLink}. */
export interface SentinelLinkListener {
  /** It says that the master is not at `from` any more, but at `to`, where that is known. */
  onChange(from: Place, to: Place | undefined): void;
  /** Where it has the master; undefined when it is heard no more, or knows none. `before`: where it had it when it was last heard, where that was not followed. */
  onNamed(master: Place | undefined, before?: Place): void;
}

/** See the module comment. */
export class SentinelLink {
  readonly #redis: Redis;
  readonly #name: string;
  readonly #tools: ConnectionTools;
  readonly #listener: SentinelLinkListener;
  readonly #silence: SilenceGuard;
  #beat: { cancel(): void } | undefined;
  /** Where it has the master, as far as it was heard. */
  #master: Place | undefined;
  #trouble: Error | undefined;

  /** @param template - knows the name of the master, and how to speak to sentinels. */
  constructor(
    template: Redis,
    { host, port, family }: Partial<SentinelAddress>,
    tools: ConnectionTools,
    listener: SentinelLinkListener,
  ) {
    const { options } = template;
    this.#name = String(options.name);
    this.#tools = tools;
    this.#listener = listener;
    const credentials = () => ({ username: options.sentinelUsername, password: options.sentinelPassword });
    const redis = template.duplicate({
      ...listening,
      sentinels: undefined,
      name: undefined,
      host,
      port: port ?? DEFAULT_PORT,
      family: family ?? options.family,
      ...credentials(),
      tls: options.sentinelTLS,
      lazyConnect: true,
      enableReadyCheck: false,
      // Without that check ioredis 5.11 goes on to `ready` behind it when the connection is gone, for good.
      disableClientInfo: true,
      autoResendUnfulfilledCommands: false,
      // It may refuse us what we can do without.
      reconnectOnError: null,
      retryStrategy: () => RETRY_MS,
    });
    withCredentialsOf(redis, credentials);
    this.#redis = redis;
    this.#silence = new SilenceGuard({ ...tools, silenceMs: BEAT_MS }, () => redis.disconnect(true));
    // One sentinel that is down is no trouble; when all are, the connection to the master will say so.
    redis.on('error', (error) => {
      this.#trouble = redacted(error);
    });
    redis.on('ready', this.#begin);
    redis.on('close', this.#rest);
    redis.on('message', this.#heard);
    connect(redis, tools);
  }

  /** `host:port`. */
  get address(): string {
    return hostAndPort(this.#redis);
  }

  /** What was wrong with its connection, until one is up. */
  get trouble(): Error | undefined {
    return this.#trouble;
  }

  close(): Promise<void> {
    this.#redis.off('ready', this.#begin);
    this.#silence.close();
    this.#beat?.cancel();
    return disconnect(this.#redis);
  }

  readonly #begin = (): void => {
    this.#trouble = undefined;
    this.#ask();
  };

  readonly #ask = (): void => {
    const { status, stream } = this.#redis;
    if (status !== 'ready') return;
    const known = this.#master;
    // What it says by itself behind its answer is newer, and is heard first where both are read at once: a promise takes a turn.
    const learn = (master: unknown) => known === this.#master && this.#learn(master);
    // In one packet, so that nothing changes in between. The other way round is not allowed: who listens may not ask (RESP2).
    stream.cork();
    void this.#owe(() => this.#redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.#name).then(learn));
    void this.#owe(() => this.#redis.subscribe('+switch-master', '+promoted-slave'));
    stream.uncork();
    this.#beat = this.#tools.after(BEAT_MS, this.#askAgain);
  };

  /** Also where it may not stop listening: then it just has to answer. */
  readonly #askAgain = (): void => void this.#owe(() => this.#redis.unsubscribe()).then(this.#ask);

  readonly #rest = (): void => {
    this.#beat?.cancel();
    this.#silence.forget();
    this.#listener.onNamed(undefined);
  };

  #owe(ask: () => Promise<unknown>): Promise<void> {
    const { now } = this.#tools;
    const answered = () => this.#silence.answered(now());
    this.#silence.sent(now());
    return attempt(ask).then(answered, answered);
  }

  #learn(master: unknown): void {
    if (!Array.isArray(master)) return this.#listener.onNamed(undefined);
    const before = this.#master;
    this.#master = [String(master[0]), String(master[1])];
    this.#listener.onNamed(this.#master, before);
  }

  /** `<name> <old ip> <old port> <new ip> <new port>` or `slave <id> <ip> <port> @ <name> <old ip> <old port>` */
  readonly #heard = (channel: string, message: string): void => {
    const [name, host, port, ...to] = (message.split(' @ ').at(-1) as string).split(' ');
    if (name !== this.#name || host === undefined || port === undefined) return;
    const [newHost, newPort] = to;
    const isSwitch = channel === '+switch-master' && newHost !== undefined && newPort !== undefined;
    if (isSwitch) this.#master = [newHost, newPort];
    this.#listener.onChange([host, port], isSwitch ? this.#master : undefined);
    if (isSwitch) this.#listener.onNamed(this.#master);
  };
}
