/**
 * Hears from the sentinels that another server has become the master, and drops the connections to the old one.
 *
 * An old master that is still alive learns of its demotion only after a while (ten seconds, measured, after a forced failover), and takes
 * writes that are thrown away later. Sentinel says two things before that: `+promoted-slave`, from the sentinel that leads the failover, as
 * soon as it has seen the new master, and `+switch-master`, from each of them. Until all of them have said so, asking one of them may still
 * give the old address. Therefore a connection that leads there is dropped at once for a while, however often it comes back.
 *
 * ioredis has a detector of its own (`failoverDetector`). It hears the second message only and from any master that these sentinels watch,
 * prints the errors of its connections, and does not keep connections from going back to the old master.
 *
 * Not promised: that the old address is recognised behind a NAT. There `+switch-master` just has every connection made anew.
 */

import type { Redis } from 'ioredis';
import { outside } from '../scopes/scope.js';
import { disconnect } from './disconnect.js';

/** All sentinels have heard of a failover after this; they talk to each other every two seconds. */
const SHUN_MS = 15_000;
const RETRY_MS = 1_000;
const DEFAULT_PORT = 26_379;

/** See the module comment. */
export class SentinelWatch {
  readonly #template: Redis;
  readonly #now: () => number;
  readonly #minded = new Set<Redis>();
  #sentinels: Redis[] = [];
  /** The address that is no master any more, `ip:port`, and until when. */
  #shunned: { address: string; until: number } | undefined;
  #closed = false;

  /** @param template - knows the sentinels, the name of the master, and how to speak to both. */
  constructor(template: Redis, now: () => number) {
    this.#template = template;
    this.#now = now;
  }

  /** From now on this connection is dropped when it leads to an old master. */
  mind(redis: Redis): void {
    this.#minded.add(redis);
    redis.on('connect', () => {
      if (leadsTo(redis) === this.#shunnedAddress) redis.disconnect(true);
    });
    redis.on('end', () => this.#minded.delete(redis));
  }

  /** Starts listening. Later calls do nothing. */
  start(): void {
    if (this.#closed || this.#sentinels.length > 0) return;
    const { sentinels } = this.#template.options;
    this.#sentinels = (sentinels ?? []).map((address) => outside(() => this.#hear(address)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#sentinels.map((sentinel) => disconnect(sentinel)));
  }

  get #shunnedAddress(): string | undefined {
    const { address, until } = this.#shunned ?? { address: undefined, until: 0 };
    return this.#now() < until ? address : undefined;
  }

  #hear({ host, port, family }: Partial<SentinelAddress>): Redis {
    const { options } = this.#template;
    const sentinel = this.#template.duplicate({
      sentinels: undefined,
      name: undefined,
      host,
      port: port ?? DEFAULT_PORT,
      family: family ?? options.family,
      username: options.sentinelUsername ?? undefined,
      password: options.sentinelPassword ?? undefined,
      tls: options.sentinelTLS,
      db: 0,
      keyPrefix: '',
      readOnly: false,
      enableReadyCheck: false,
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      autoResubscribe: true,
      commandTimeout: undefined,
      retryStrategy: () => RETRY_MS,
    });
    // One sentinel that is down is no trouble; when all are, the connection to the master will say so.
    sentinel.on('error', () => undefined);
    sentinel.on('message', (channel: string, message: string) => this.#heard(channel, message));
    sentinel.subscribe('+switch-master', '+promoted-slave').catch(() => undefined);
    return sentinel;
  }

  #heard(channel: string, message: string): void {
    const change = channel === '+switch-master' ? switched(message) : promoted(message);
    if (change === undefined || change.name !== this.#template.options.name) return;
    this.#shunned = { address: change.from, until: this.#now() + SHUN_MS };
    for (const redis of this.#minded) {
      // On its way it is looked at when it arrives; and ioredis gives up for good when it is disconnected while it asks a sentinel.
      if (redis.status !== 'connect' && redis.status !== 'ready') continue;
      const target = leadsTo(redis);
      if (target === change.from || (change.to !== undefined && target !== change.to)) redis.disconnect(true);
    }
  }
}

interface SentinelAddress {
  host: string;
  port: number;
  family: number;
}

/** What a message says: the master `name` is not at `from` any more, but at `to`. Addresses are `ip:port`. */
interface Change {
  readonly name: string;
  readonly from: string;
  readonly to: string | undefined;
}

/** `<name> <old ip> <old port> <new ip> <new port>` */
function switched(message: string): Change | undefined {
  const [name, oldIp, oldPort, newIp, newPort] = message.split(' ');
  if (name === undefined || newPort === undefined) return undefined;
  return { name, from: `${oldIp}:${oldPort}`, to: `${newIp}:${newPort}` };
}

/** `slave <id> <ip> <port> @ <name> <old ip> <old port>` */
function promoted(message: string): Change | undefined {
  const [name, oldIp, oldPort] = message.split(' @ ')[1]?.split(' ') ?? [];
  if (name === undefined || oldPort === undefined) return undefined;
  return { name, from: `${oldIp}:${oldPort}`, to: undefined };
}

/** Where a connection leads, `ip:port`; undefined when it leads nowhere. */
function leadsTo({ stream }: Redis): string | undefined {
  return stream?.remoteAddress === undefined ? undefined : `${stream.remoteAddress}:${stream.remotePort}`;
}
