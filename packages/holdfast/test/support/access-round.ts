/** Everything that applications and operators do with a lock, call by call, for users that may not do all of it. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type RedisKit, waitUntil } from '@holdfast/testkit';
import { LockError, type LockClient, type LockClientOptions, LockRefusedError, type RLock } from 'holdfast';
import { password } from './acl-rules.js';
import { openClient } from './clients.js';
import { turns } from './room.js';

/** What a call came to: `done`, or the code of its error. */
export type Outcome = string;

/** Times short enough that a lease that is not renewed, or not given back, is soon over. */
export const quick: Partial<LockClientOptions> = {
  watchdogTimeoutMs: 900,
  reaskMs: 100,
  claimLeaseMs: 400,
  attemptTimeoutMs: 1_000,
  responseTimeoutMs: 5_000,
};

/** Times that no machine is too slow for, where everything is allowed and nothing has to run out. */
export const unhurried: Partial<LockClientOptions> = {
  watchdogTimeoutMs: 6_000,
  reaskMs: 20_000,
  claimLeaseMs: 30_000,
  attemptTimeoutMs: 10_000,
  responseTimeoutMs: 20_000,
};

/** For what a missing right may keep from coming true for ever, and a slow machine for a while. */
const LONG_ENOUGH_MS = 2_000;

/** A name that the rules of docs/security.md allow. */
export const allowedName = (): string => `lock:${randomUUID()}`;

/** A client of a user that `createUser` has made, or of `default`, who may do everything. Closed when the test has ended. */
export function openAs(kit: RedisKit, username: string, options: Partial<LockClientOptions> = {}): LockClient {
  const { host, port } = kit.server;
  if (username === 'default') return openClient(kit, { ...quick, ...options });
  return openClient(kit, { redis: { host, port, username, password }, ...quick, ...options });
}

/** The outcomes of a round, by call. */
export class Round {
  readonly outcomes = new Map<string, Outcome>();

  /** Awaits a call; anything but success and holdfast's own errors is thrown on. */
  async call<T>(title: string, call: Promise<T>): Promise<T | undefined> {
    try {
      const value = await call;
      this.outcomes.set(title, 'done');
      return value;
    } catch (error) {
      this.outcomes.set(title, outcomeOf(error));
      return undefined;
    }
  }

  /** What was not done, as `call: outcome`. */
  get undone(): string[] {
    return [...this.outcomes].filter(([, outcome]) => outcome !== 'done').map((entry) => entry.join(': '));
  }
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof LockError)) throw error;
  return error instanceof LockRefusedError ? `${error.code} ${error.redisCode}` : error.code;
}

/** Two processes of an application: sections, nesting, handoffs of each kind, renewals, a wait without limit, calls given up, close. */
export async function applicationRound(kit: RedisKit, a: LockClient, b: LockClient): Promise<Round> {
  const round = new Round();
  const name = allowedName();
  const [lock, theirs] = [a.getLock(name), b.getLock(name)];
  const section = lock.withLock(async () => {
    await round.call(
      'nested',
      lock.withLock({ leaseMs: 3_000 }, () => turns()),
    );
    await round.call('hold count', lock.getHoldCount());
    await round.call('time to live', lock.remainTimeToLive());
  });
  await round.call('section', section);
  await round.call('is locked', lock.isLocked());
  await round.call('is a lock of many readers locked', isSharedLockLocked(kit, a));

  const tasks = [undefined, undefined, 3_000, undefined].map((leaseMs, index) => {
    const options = leaseMs === undefined ? {} : { leaseMs };
    return round.call(
      `task ${index}`,
      lock.withLock(options, () => turns()),
    );
  });
  await Promise.all(tasks);

  const hold = await round.call('acquire', lock.acquire());
  const waiting = round.call('wait', theirs.acquire());
  await unless(waiting, () => waits(kit, name, b), 'the other process waits');
  if (hold !== undefined) {
    const { renewals } = a.stats();
    const tried = () => hold.state === 'lost' || !isDeepStrictEqual(a.stats().renewals, renewals);
    await waitUntil(tried, { what: 'a renewal' });
    await round.call('release to a process', hold.release());
  }
  const granted = await waiting;

  await round.call('give up at once', givenUp(lock, Promise.resolve()));
  const seen = waitUntil(() => waits(kit, name, a), { what: 'this process waits', timeoutMs: LONG_ENOUGH_MS });
  await round.call('give up in the queue', givenUp(lock, seen));
  if (granted !== undefined) await round.call('release', granted.release());
  await round.call('close', Promise.all([a.close(), b.close()]));
  return round;
}

/** An operator looks at a lock that `holder` has and `waiter` waits for, and takes it away. */
export async function operatorRound(
  kit: RedisKit,
  operator: LockClient,
  holder: LockClient,
  waiter: LockClient,
): Promise<Round> {
  const round = new Round();
  const name = allowedName();
  const hold = await holder.getLock(name).acquire();
  const theirs = waiter.getLock(name).acquire();
  await waitUntil(async () => (await waiter.inspect(name)).queue.length === 1, { what: 'the waiter is queued' });
  const lock = operator.getLock(name);
  await round.call('inspect', operator.inspect(name));
  const reading = await holder.getReadWriteLock(allowedName()).readLock().acquire();
  await round.call('inspect a read-write lock', operator.inspect(reading.name));
  await reading.release();
  await forceReadWrite(kit, round, { operator, holder, waiter });
  await round.call('list', operator.listLocks({ match: 'lock:*' }).next());
  await round.call('is locked', lock.isLocked());
  await round.call('is a lock of many readers locked', isSharedLockLocked(kit, operator));
  await round.call('time to live', lock.remainTimeToLive());
  await round.call('force unlock', lock.forceUnlock());
  const forced = round.outcomes.get('force unlock') === 'done';
  // Taken away or not at all: the next in line has it, or the holder still does.
  if (!forced) await hold.release();
  await (await theirs).release();
  if (forced) await waitUntil(() => hold.state === 'lost', { what: 'the loss is told' });
  const alone = await holder.getLock(name).acquire();
  await round.call('force unlock where nobody waits', lock.forceUnlock());
  await alone.release().catch(() => undefined);
  await round.call('close', operator.close());
  return round;
}

/**
 * An operator takes a read-write lock from a reader for a writer who waits, from that writer for a reader who waits, and from each kind for nobody. Forced or
 * not, all who wait have it after that.
 */
async function forceReadWrite(
  kit: RedisKit,
  round: Round,
  { operator, holder, waiter }: Record<'operator' | 'holder' | 'waiter', LockClient>,
): Promise<void> {
  const name = allowedName();
  const third = openAs(kit, 'default', { ...unhurried, reaskMs: quick.reaskMs as number });
  const lockOf = (client: LockClient) => client.getReadWriteLock(name);
  const lock = lockOf(operator);
  const standing = (line: string, title: string) =>
    waitUntil(async () => (await kit.admin.zcard(`holdfast_rw_${line}:{${name}}`)) === 1, { what: title });

  const reading = await lockOf(holder).readLock().acquire();
  const writing = lockOf(waiter).writeLock().acquire();
  await standing('writers', 'a writer waits');
  const readingLater = lockOf(third).readLock().acquire();
  await standing('readers', 'a reader waits behind the writer');
  await round.call('force the writer where there is none', lock.writeLock().forceUnlock());
  await round.call('force a reader', lock.readLock().forceUnlock());
  await reading.release().catch(() => undefined);
  // The one without a right that lets the next in leaves it to who asks first.
  const next = await Promise.race([writing, readingLater]);
  await round.call('force a writer', lock.writeLock().forceUnlock());
  await next.release().catch(() => undefined);
  for (const hold of await Promise.all([writing, readingLater])) await hold.release().catch(() => undefined);
  const alone = await lockOf(third).readLock().acquire();
  await round.call('force a reader where nobody waits', lock.readLock().forceUnlock());
  await alone.release().catch(() => undefined);
  const any = await lockOf(third).writeLock().acquire();
  await round.call('force whoever has a read-write lock', operator.getLock(name).forceUnlock());
  await any.release().catch(() => undefined);
  await third.close();
}

/** Of a lock that more of Redisson's readers share than are read one by one. */
async function isSharedLockLocked(kit: RedisKit, client: LockClient): Promise<boolean> {
  const name = allowedName();
  const readers = Array.from({ length: 200 }, (_, n): [string, string] => [`${randomUUID()}:${n}`, '1']);
  await kit.admin.hset(name, { mode: 'read', ...Object.fromEntries(readers) });
  try {
    return await client.getLock(name).isLocked();
  } finally {
    await kit.admin.del(name);
  }
}

/** An acquisition that is aborted when `patience` has settled, unless it has failed before. */
async function givenUp(lock: RLock, patience: Promise<unknown>): Promise<void> {
  const impatience = new AbortController();
  const call = lock.acquire({ signal: impatience.signal }).catch((error: unknown) => {
    if (error !== impatience.signal.reason) throw error;
  });
  await Promise.race([call, patience.catch(() => undefined)]).catch(() => undefined);
  impatience.abort();
  await call;
}

/** Waits for a condition, or until the call is over, or for long enough: without a grant it may never come true. */
async function unless(call: Promise<unknown>, condition: () => Promise<boolean>, what: string): Promise<void> {
  const over = call.then(() => undefined);
  await Promise.race([over, waitUntil(condition, { what, timeoutMs: LONG_ENOUGH_MS }).catch(() => undefined)]);
}

/** Whether a process waits, as others can see it. */
async function waits(kit: RedisKit, name: string, { clientId }: LockClient): Promise<boolean> {
  const queued = await kit.admin.zcard(`holdfast_queue:{${name}}`);
  const [, listeners] = await kit.admin.pubsub('NUMSUB', `redisson_lock__channel:{${name}}`);
  const [, inbox] = await kit.admin.pubsub('NUMSUB', `holdfast_inbox:${clientId}`);
  return (queued > 0 || Number(listeners) > 0) && Number(inbox) > 0;
}
