/**
 * Hears from the sentinels that another server has become the master, and drops the connections to the old one.
 *
 * An old master that is still alive learns of its demotion only after a while (ten seconds, measured, after a forced failover), and takes
 * writes that are thrown away later. Sentinel says two things before that: `+promoted-slave`, from the sentinel that leads the failover, as
 * soon as it has seen the new master, and `+switch-master`, from each of them. Until all of them have said so, asking one of them may still
 * give the old address. Therefore a connection that leads there is dropped at once for a while, however often it comes back.
 *
 * A sentinel that is cut off together with the old master goes on naming it, for as long as that lasts, and so does the old master take writes. So nor does a
 * connection stay at a server that some of the sentinels call the master, where more than half of all have another one, unless it is from that one that
 * the first of them has just gone on.
 *
 * ioredis has a detector of its own (`failoverDetector`). It hears the second message only and from any master that these sentinels watch,
 * prints the errors of its connections, and does not keep connections from going back to the old master.
 *
 * Not promised: that the old address is recognised behind a NAT that `natMap` says nothing of. There `+switch-master` just has every connection made anew.
 */

import { lookup } from 'node:dns/promises';
import type { Redis } from 'ioredis';
import { apart } from '../scopes/scope.js';
import { attempt } from './attempt.js';
import type { ConnectionTools } from './connection-tools.js';
import { partsOf, reachedAs } from './address.js';
import { type Place, type SentinelAddress, SentinelLink } from './sentinel-link.js';
import { hearSentinels, type SentinelRound } from './sentinel-round.js';

/** All sentinels have heard of a failover after this; they talk to each other every two seconds. */
const SHUN_MS = 15_000;
/** Where one of them has just said the opposite, so that either lags behind, no server is shunned for longer than they take to agree. */
const AGREEMENT_MS = 4_000;
/** A name that is looked up for longer is not waited for: better to make every connection anew than to stay at an old master. */
const LOOKUP_MS = 500;

/** Where a sentinel that is heard has the master, `host,port`. `addresses`: the same as `ip:port`, when they are known. */
interface View {
  readonly master: string;
  addresses: readonly string[];
}

/** All addresses of a host. */
type LookUp = (host: string) => Promise<readonly { readonly address: string }[]>;

/** See the module comment. */
export class SentinelWatch {
  readonly #template: Redis;
  readonly #tools: ConnectionTools;
  readonly #lookUp: LookUp;
  readonly #minded = new Set<Redis>();
  #links: SentinelLink[] = [];
  /** The addresses of what is no master any more, `ip:port`, and until when they count. */
  #shunned: { addresses: readonly string[]; until: number } = { addresses: [], until: 0 };
  /** Whom each sentinel has named last as the new master, `host,port`, and until when that is news. */
  readonly #named = new Map<Partial<SentinelAddress>, { master: string; until: number }>();
  /** Whom a sentinel was the first to go on from, `host,port`, before its addresses are known. */
  #left = { master: '', until: 0 };
  readonly #views = new Map<Partial<SentinelAddress>, View>();
  #closed = false;

  /** @param template - knows the sentinels, the name of the master, and how to speak to both. */
  constructor(template: Redis, tools: ConnectionTools, lookUp: LookUp = (host) => lookup(host, { all: true })) {
    this.#template = template;
    this.#tools = tools;
    this.#lookUp = lookUp;
  }

  /** From now on this connection is dropped when it leads to an old master. */
  mind(redis: Redis): void {
    this.#minded.add(redis);
    redis.on('connect', () => {
      const { addresses, until } = this.#shunned;
      const target = leadsTo(redis);
      const isShunned = this.#tools.now() < until && addresses.includes(target);
      if (isShunned || this.#isOutvoted(target)) redis.disconnect(true);
      // A replica ioredis leaves without a word: it asks before it is ready, and so do we.
      else
        void attempt(() => redis.info('replication')).then(
          (info) => info.includes('role:slave') && redis.emit('error', new Error(`READONLY at ${target}`)),
          () => undefined,
        );
    });
    redis.on('end', () => this.#minded.delete(redis));
  }

  /** Why this connection finds no master. */
  hear(redis: Redis): SentinelRound {
    return hearSentinels(redis, (at) => this.#links.find(({ address }) => address === at)?.trouble);
  }

  /** Starts listening. Later calls do nothing. */
  start(): void {
    if (this.#closed || this.#links.length > 0) return;
    this.#links = apart(() =>
      distinct(this.#template.options.sentinels ?? []).map((address) => {
        return new SentinelLink(this.#template, address, this.#tools, {
          onChange: (from, to) => void this.#leave(from, to, address),
          onNamed: (master, before) => void this.#note(master, before, address),
        });
      }),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#links.map((link) => link.close()));
  }

  async #leave(from: Place, to: Place | undefined, sentinel: Partial<SentinelAddress>): Promise<void> {
    const now = this.#tools.now();
    if (to !== undefined) this.#named.set(sentinel, { master: String(to), until: now + SHUN_MS });
    const isDisputed = ({ master, until }: { master: string; until: number }) => now < until && master === String(from);
    const shunMs = [...this.#named.values()].some(isDisputed) ? AGREEMENT_MS : SHUN_MS;
    this.#left = { master: String(from), until: now + shunMs };
    const [left, next] = await Promise.all([this.#addressesOf(from), to && this.#addressesOf(to)]);
    // One address may lead to whichever is the master.
    const shunned = left.filter((address) => !next?.includes(address));
    this.#shunned = { addresses: shunned, until: this.#tools.now() + shunMs };
    this.#drop((target) => left.includes(target) || next?.includes(target) === false);
  }

  async #note(master: Place | undefined, before: Place | undefined, sentinel: Partial<SentinelAddress>): Promise<void> {
    if (this.#views.get(sentinel)?.master === (master && String(master))) return;
    this.#views.delete(sentinel);
    if (master === undefined) return;
    const view: View = { master: String(master), addresses: [] };
    // One that was started with the configuration of its first day goes back to the master of that day.
    if (before && String(before) !== view.master && !this.#isMost(String(before), [...this.#views.values()]))
      void this.#leave(before, master, sentinel);
    this.#views.set(sentinel, view);
    view.addresses = await this.#addressesOf(master);
    this.#drop((target) => this.#isOutvoted(target));
  }

  #drop(isWrong: (target: string) => boolean): void {
    for (const redis of this.#minded) {
      // On its way it is looked at when it arrives; and ioredis gives up for good when it is disconnected while it asks a sentinel.
      if ((redis.status === 'connect' || redis.status === 'ready') && isWrong(leadsTo(redis))) redis.disconnect(true);
    }
  }

  /**
   * One that no sentinel names may be any of those that they do, behind a NAT. A name stands for one server, which may have had another address when it was looked
   * up for one of them; and what is behind a name without any known address may be that server too.
   */
  #isOutvoted(target: string): boolean {
    const views = [...this.#views.values()];
    const names = new Set(views.filter(({ addresses }) => addresses.includes(target)).map(({ master }) => master));
    if (names.size === 0) return false;
    const left = this.#tools.now() < this.#left.until && this.#left.master;
    const others = views.filter(
      ({ master, addresses }) => addresses.length > 0 && !names.has(master) && master !== left,
    );
    return others.some(({ master }) => this.#isMost(master, others));
  }

  /** More than half of all sentinels say so. */
  #isMost(master: string, views: readonly View[]): boolean {
    return views.filter((view) => view.master === master).length > this.#links.length / 2;
  }

  /** Where a place is, as `ip:port`; nothing when that cannot be known soon. Sentinels may give names (`announce-hostnames`), connections know addresses only. */
  #addressesOf(place: Place): Promise<readonly string[]> {
    return new Promise((resolve) => {
      const limit = this.#tools.after(LOOKUP_MS, () => resolve([]));
      // What may throw is yours.
      const find = async () => {
        const [host, port] = partsOf(reachedAs(place.join(':'), this.#template.options.natMap));
        return (await this.#lookUp(host)).map(({ address }) => `${address}:${port}`);
      };
      void find()
        .then(resolve, () => resolve([]))
        .finally(() => limit.cancel());
    });
  }
}

/** One that is named twice has one vote. What says nothing stands for the same as with ioredis. */
function distinct(sentinels: readonly Partial<SentinelAddress>[]): Partial<SentinelAddress>[] {
  return [
    ...new Map(
      sentinels.map((each) => [`${each.host || '127.0.0.1'} ${each.port || 26_379}`.toLowerCase(), each]),
    ).values(),
  ];
}

/** Where a connection leads, `ip:port`. */
function leadsTo({ stream }: Redis): string {
  return `${stream?.remoteAddress}:${stream?.remotePort}`;
}
