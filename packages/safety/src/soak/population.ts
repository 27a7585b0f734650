/**
 * Who shares which lock. Of every four locks one is held and waited for by nobody, two have one waiter and one has two, each in a process of
 * its own: as many waiters as locks. Whoever has had its turn goes to the end of the line, so the numbers stay the same for the whole run.
 */

/** The numbers of processes that share one lock. With fewer than three processes every lock has one waiter. */
const SHARERS = [1, 2, 2, 3];

/** What one process has to do. */
export interface Share {
  /** Locks that it holds first. */
  readonly holdsFirst: readonly number[];
  /** Locks that it waits for first, in the order of the line. */
  readonly waitsFirst: readonly number[];
}

/** The processes that share `lock`, in the order of their first turn; all different. Needs two processes. */
export function sharersOf(lock: number, processes: number): readonly number[] {
  const sharers = processes < 3 ? 2 : (SHARERS[lock % SHARERS.length] ?? 1);
  const round = Math.floor(lock / SHARERS.length);
  const holder = round % processes;
  const others = Array.from({ length: sharers - 1 }, (_, i) => 1 + ((round + i) % (processes - 1)));
  return [holder, ...others.map((step) => (holder + step) % processes)];
}

/** Each process's part of the locks `0` to `locks - 1`. */
export function sharesOf(locks: number, processes: number): readonly Share[] {
  const shares = Array.from({ length: processes }, () => ({ holdsFirst: [] as number[], waitsFirst: [] as number[] }));
  for (let lock = 0; lock < locks; lock++) {
    const [holder = 0, ...waiters] = sharersOf(lock, processes);
    shares[holder]?.holdsFirst.push(lock);
    for (const waiter of waiters) shares[waiter]?.waitsFirst.push(lock);
  }
  return shares;
}

/** How many processes may wait for one lock at the same time. */
export function mostWaiters(processes: number): number {
  return processes < 3 ? 1 : Math.max(...SHARERS) - 1;
}
