/**
 * What locks leave behind when they are taken and given back very often: the work.
 *
 * Every way to a lock and out of it takes its turn. Most cycles are short, so that a leak in any of them is repeated thousands of times.
 */
import { type LockClient, LockTimeoutError, LockUnavailableError, type RLock } from 'holdfast';

/** Two clients are two owners to Redis, as two processes would be. */
export interface Clients {
  readonly one: LockClient;
  readonly other: LockClient;
}

/** Tasks that lock at the same time, so that the connection is never idle. */
const TASKS = 64;
const NAMES = 4_096;
const KEPT = 'kept by the other client';

/** One cycle of a task. */
interface Turn {
  readonly clients: Clients;
  readonly task: number;
  readonly cycle: number;
}

const nothing = (): void => undefined;

/** A name that nobody else uses now. */
const own = ({ clients, task, cycle }: Turn): RLock => clients.one.getLock(`cycle-${task}-${cycle % NAMES}`);
/** Eight tasks of one client each: it passes from one to the next in memory. */
const shared = ({ clients, task }: Turn): RLock => clients.one.getLock(`shared-${task % 8}`);
/** Both clients want it. */
const disputed = ({ clients: { one, other }, task, cycle }: Turn): RLock =>
  (cycle % 32 < 16 ? one : other).getLock(`disputed-${task % 8}`);

/** Each in turn, and after each of them one lock that passes on in memory. */
const ways: readonly ((turn: Turn) => Promise<unknown>)[] = [
  (turn) => own(turn).withLock(() => own(turn).withLock(nothing)),
  (turn) => oneThread(turn.clients.one, own(turn)),
  async (turn) => (await own(turn).acquire({ waitMs: 60_000 })).release(),
  (turn) => shared(turn).withLock({ leaseMs: 120_000 }, nothing),
  async (turn) => {
    const lock = own(turn);
    if (await lock.tryLock()) await lock.unlock();
  },
  (turn) => disputed(turn).withLock(nothing),
  ({ clients }) => timesOut(clients.one.getLock(KEPT)),
  ({ clients }) => isAborted(clients.one.getLock(KEPT)),
];

/** Takes and gives back `count` times, each time in the next way. Resolves when every call has its answer. */
export async function cycles(clients: Clients, count: number): Promise<void> {
  const kept = await clients.other.getLock(KEPT).acquire();
  let next = 0;
  const work = async (_: unknown, task: number) => {
    for (let cycle = next++; cycle < count; cycle = next++) {
      const turn = { clients, task, cycle };
      const way = cycle % 2 === 0 ? undefined : ways[(cycle >> 1) % ways.length];
      await (way === undefined ? shared(turn).withLock(nothing) : way(turn));
    }
  };
  await Promise.all(Array.from({ length: TASKS }, work));
  await kept.release();
}

function oneThread(client: LockClient, lock: RLock): Promise<void> {
  return client.run(async () => {
    await lock.lock();
    await lock.lock();
    await lock.unlock();
    await lock.unlock();
  });
}

async function timesOut(lock: RLock): Promise<void> {
  await lock.acquire({ waitMs: 2 }).catch((error: unknown) => {
    // The second on a machine so slow that Redis has not even said that the lock is busy.
    if (!(error instanceof LockTimeoutError || error instanceof LockUnavailableError)) throw error;
  });
}

async function isAborted(lock: RLock): Promise<void> {
  const giveUp = new AbortController();
  const call = lock.acquire({ signal: giveUp.signal }).catch((error: unknown) => {
    if (error !== giveUp.signal.reason) throw error;
  });
  setImmediate(() => giveUp.abort());
  await call;
}
