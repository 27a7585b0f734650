/**
 * One Redis, as a client uses it: the way there, what renews leases on it, and how its messages are heard. A client has one; a client of
 * several independent servers has one for each.
 */

import { assertPrefix, type Granting, inboxChannel, type LockKeys, lockKeys, type Prefixes } from '@holdfast/core';
import { Inbox, ReleaseBroadcast } from '@holdfast/notify';
import { Watchdog } from '@holdfast/watchdog';
import type { ClientParts, CommonParts } from './client-parts.js';
import { CommandSender } from './connection/command-sender.js';
import type { ConnectionTools } from './connection/connection-tools.js';
import { Earshot } from './connection/earshot.js';
import { openTopology } from './connection/open-topology.js';
import { type Patience, Readiness } from './connection/readiness.js';
import type { OpenedRedis } from './connection/redis-input.js';
import { givenAs, ServerCheck } from './connection/server-check.js';
import { Shards } from './connection/shards.js';
import { Subscriber } from './connection/subscriber.js';
import { ToldErrors } from './connection/told-errors.js';
import { addressOf } from './connection/trouble.js';
import type { HoldRecord } from './exclusive/hold-record.js';
import { InvitingFairOperations } from './primitives/fair-operations.js';
import { FencedOperations } from './primitives/fenced-operations.js';
import { LockOperations } from './primitives/lock-operations.js';
import { AskRounds } from './tenure/ask-rounds.js';
import { type LeaseSubject, Renewals } from './tenure/renewals.js';
import { ServerClock } from './tenure/server-clock.js';
import { RecentReleases } from './tenure/recent-releases.js';
import { giveBackAgain } from './tenure/serving.js';
import { Tenure } from './tenure/tenure.js';
import { type Missed, QueueWakeup, RedissonWakeup } from './tenure/wakeup.js';

/** What a backend is told of the client that it is for. */
export interface BackendOptions {
  readonly clientId: string;
  /** Of its own connections, in CLIENT LIST. */
  readonly connectionName?: string | undefined;
  readonly grants: ClientParts['grants'];
  /** What is held on a lease; for reports. */
  readonly heldOn: (subject: LeaseSubject) => readonly HoldRecord[];
}

/** See the module comment. */
export class Backend {
  readonly parts: ClientParts;
  /** For locks whose calls stand in the queue in Redis from their first question on, whatever the mode of the client. */
  readonly inLine: ClientParts;
  readonly prefixes: Prefixes;
  readonly granting: Granting;
  readonly #told: ToldErrors;
  #isClosing = false;
  /** What is closed with it, one after the other. */
  readonly #ends: readonly { close(): Promise<void> }[];
  readonly #readiness: Readiness;
  readonly #reaching: Readiness;

  constructor(redis: OpenedRedis, common: CommonParts, { clientId, connectionName, grants, heldOn }: BackendOptions) {
    const { settings, clock, random, nextTurn, reporter, waits } = common;
    const { options } = redis.kind === 'node' ? redis.redis : redis.template;
    this.prefixes = { prefix: settings.prefix, keyPrefix: options.keyPrefix ?? '' };
    assertPrefix(this.prefixes);
    // That a subscription which nobody waits for any more ends with its client is no news.
    const onError = (error: unknown) => this.#isClosing || reporter.error(error);
    const now = () => clock.now();
    const told = new ToldErrors(now, onError);
    const tools: ConnectionTools = {
      at: (time, action) => waits.at(time, action),
      after: (ms, action) => waits.at(clock.now() + ms, action),
      now,
      random,
      nextTurn,
      connectionName,
      silenceMs: 3 * settings.attemptTimeoutMs,
      serverCheck: new ServerCheck(givenAs(redis), (found) => reporter.unsafeSetting(found)),
      onError: (connection, error) => told.note(`The connection for ${connection}`, error),
    };
    const topology = openTopology(redis, tools);
    const sender = new CommandSender({ topology, clock, schedule: waits, nextTurn });
    const serverClock = new ServerClock(now);
    const watchdog = new Watchdog<LeaseSubject>({
      clock,
      port: new Renewals(topology, sender, serverClock, ({ operations }, refusal) =>
        told.note(
          `The renewals at ${redis.kind === 'node' ? addressOf(redis.redis) : topology.connectionTo(operations.key)?.keyspace.address}`,
          refusal,
        ),
      ),
      random,
      mostIntervalMs: settings.watchdogTimeoutMs / 3,
      holders: () => reporter.stats.held,
      onError,
      onRenewal: (renewal) => reporter.renewal(renewal.subject.operations.name, renewal, () => heldOn(renewal.subject)),
    });
    const subscriber = new Subscriber(topology, tools);
    const channel = inboxChannel(clientId);
    const onUnheard = (error: unknown) => told.note('The connection for messages', error);
    const recentReleases = new RecentReleases(topology, (release) => giveBackAgain({ ...common, sender }, release));
    topology.listen(recentReleases);
    const onStrayGrant = (tenure: string) => recentReleases.granted(tenure);
    const inbox = new Inbox({ port: subscriber, channel, onError: onUnheard, onStrayGrant });
    const broadcast = new ReleaseBroadcast({ port: subscriber, onError: onUnheard });
    subscriber.listen(inbox.listener);
    subscriber.listen(broadcast.listener);
    const earshot = new Earshot({ topology, subscriber, channel, inbox, tools });
    subscriber.listen(earshot);
    const shards = new Shards(topology, tools);
    topology.listen({
      onDown: (node, covers) => {
        serverClock.forget(node);
        watchdog.suspect(({ operations }) => covers(operations.key));
      },
      onUp: (covers) => {
        watchdog.verify(({ operations }) => covers(operations.key));
        earshot.check();
        subscriber.resume();
      },
    });
    const broadcasts = { plain: broadcast, shards };
    const { attemptTimeoutMs: limitMs } = settings;
    const onMissed = (what: Missed) => {
      // Where the inbox is not open no message can come, and a connection made anew would not open it.
      if (!inbox.confirmed) return;
      earshot.check();
      void (what === 'grant' ? subscriber.missed(limitMs) : subscriber.probe(limitMs));
    };
    const wakeup =
      settings.wakeup === 'queue'
        ? new QueueWakeup(inbox, onMissed, 'when heard')
        : new RedissonWakeup({ ...common, inbox, broadcasts, sender });
    this.parts = withStakes({
      ...common,
      topology,
      sender,
      askRounds: new AskRounds({ clock, waits, sender, reaskMs: settings.reaskMs }),
      watchdog,
      recentReleases,
      wakeup,
      broadcasts,
      serverClock,
      grants,
    });
    this.inLine = this.partsWith({ wakeup: new QueueWakeup(inbox, onMissed, 'at once') });
    this.granting = { claimMs: settings.claimLeaseMs, trust: topology.trustsReceivers };
    this.#told = told;
    this.#ends = [subscriber, inbox, broadcast, shards, topology];
    this.#readiness = new Readiness(topology, inbox, common, subscriber);
    this.#reaching = new Readiness(topology, undefined, common);
  }

  /** For locks that wake their calls in a way of their own, or name their tenures so. */
  partsWith(own: Partial<Pick<ClientParts, 'wakeup' | 'tenureId'>>): ClientParts {
    return withStakes({ ...this.parts, ...own });
  }

  /**
   * The lock `name` on this Redis, of a primitive on the keys of the re-entrant lock. @throws TypeError or RangeError when there can be no lock of
   * that name.
   */
  lockOperations(name: string, primitive: 'lock' | 'fair' | 'spin' = 'lock'): LockOperations {
    const ofKind = primitive === 'fair' && this.parts.wakeup.blind ? InvitingFairOperations : LockOperations;
    return new ofKind(this.lockKeys(name), this.granting, primitive);
  }

  /** The keys of lock `name` there. @throws as {@link lockOperations}. */
  lockKeys(name: string): LockKeys {
    return lockKeys(name, this.prefixes);
  }

  /** The fenced lock `name`, likewise. */
  fencedOperations(name: string): FencedOperations {
    return new FencedOperations(this.lockKeys(name), this.granting, this.parts.settings.tokens);
  }

  /** Locks could be taken there now, as far as is known. */
  get ready(): boolean {
    return this.#readiness.ready;
  }

  /** Until it is ready, with all connections made that are missing. */
  whenReady(patience: Patience): Promise<void> {
    return this.#readiness.wait(patience);
  }

  /** Until every server that keeps locks is reached. Those that come to keep some later are, too. */
  whenReached(patience: Patience): Promise<void> {
    return this.#reaching.wait(patience);
  }

  /** Something is wrong there that no call is told of. */
  note(what: string, error: unknown): void {
    this.#told.note(what, error);
  }

  /** No call may wait for it to become ready any more. */
  refuseWaiting(): void {
    this.#readiness.close();
    this.#reaching.close();
  }

  /** Sends what is under way, for a moment, and leaves no connection and no timer. */
  async close(): Promise<void> {
    const { clock, settings, sender, watchdog, recentReleases } = this.parts;
    recentReleases.close();
    await sender.drained(clock.now() + settings.attemptTimeoutMs);
    this.#isClosing = true;
    watchdog.close();
    sender.close();
    for (const end of this.#ends) await end.close();
  }
}

/** Stakes on one Redis are tenures, of the parts that they are opened by. */
function withStakes(given: Omit<ClientParts, 'openStake'>): ClientParts {
  const parts: ClientParts = {
    ...given,
    openStake: (operations, wish, listener) => new Tenure(parts, operations, wish, listener),
  };
  return parts;
}
