/**
 * Replays an append-only file and watches the rules of the server side: one owner at a time, hold counts by one, every operation
 * of a tenure once and in its order, no tenure that ended or was buried owns again, the line is served in the order of tickets, and
 * no key of holdfast is ever left without TTL.
 */
import type { Transaction } from './parse.js';
import { isRest, keyOf, lockOf, tenureOf } from './keys.js';
import type { Flaw, TenureStory, Timeline } from './timeline.js';

interface Owner {
  readonly story: TenureStory;
  count: number;
  seq: number;
}

interface LockState {
  owner: Owner | undefined;
  endMs: number | undefined;
  /** It is noted until when the lock rests: the key stays when its owner goes. */
  rests: boolean;
  /** Tickets of those who wait. */
  readonly queue: Map<string, number>;
}

class Replay {
  readonly #locks = new Map<string, LockState>();
  readonly #tenures = new Map<string, TenureStory>();
  readonly #buried = new Set<string>();
  readonly #flaws: Flaw[] = [];
  /** Keys of ours that exist, and whether they have a TTL. */
  readonly #ttl = new Map<string, boolean>();
  readonly #touched = new Set<string>();
  /** Made owners by the present transaction. */
  readonly #granted = new Set<string>();
  #second = 0;
  #base = false;
  #transactions = 0;

  apply({ commands, second, isBase }: Transaction): void {
    this.#second = second;
    this.#base = isBase;
    this.#transactions += 1;
    for (const command of commands) this.#command(command);
    this.#granted.clear();
    if (isBase) return;
    for (const key of this.#touched) {
      if (this.#ttl.get(key) === false) this.#flaw('aof-no-ttl', lockOf(key), [], `the key ${key} has no TTL`);
    }
    this.#touched.clear();
  }

  get timeline(): Timeline {
    return { tenures: this.#tenures, flaws: this.#flaws, transactions: this.#transactions };
  }

  #command([name = '', key = '', ...args]: readonly string[]): void {
    switch (name.toUpperCase()) {
      case 'HSET':
      case 'HMSET':
        return this.#hset(key, args);
      case 'HDEL':
        return this.#hdel(key, args);
      case 'PEXPIREAT':
        return this.#expireAt(key, Number(args[0]));
      case 'ZADD':
        return this.#zadd(key, args);
      case 'ZREM':
        return this.#leaveQueue(key, args);
      case 'ZPOPMIN':
        return this.#popQueue(key);
      case 'SET':
        return this.#set(key, args);
      case 'DEL':
      case 'UNLINK':
        for (const one of [key, ...args]) this.#delete(one);
        return;
      case 'FLUSHALL':
      case 'FLUSHDB':
        return this.#flush();
      default:
    }
  }

  #hset(key: string, pairs: readonly string[]): void {
    const { kind } = keyOf(key);
    if (kind === 'fresh') return this.#exists(key);
    const fields = new Map<string, string>();
    for (let i = 0; i + 1 < pairs.length; i += 2) fields.set(pairs[i] ?? '', pairs[i + 1] ?? '');
    if (kind !== 'other' || !(fields.has('seq') || this.#locks.get(key)?.owner)) return;
    this.#exists(key);
    const state = this.#lock(key);
    state.rests ||= fields.has('rest');
    const id = [...fields.keys()].find((field) => field.includes(':'));
    const seq = Number(fields.get('seq') ?? state.owner?.seq);
    if (id === undefined) {
      // Without a number it is a note about the owner (what it inherited, its token) and no operation of it.
      if (state.owner !== undefined && fields.has('seq')) this.#progress(key, state.owner, state.owner.count, seq);
      return;
    }
    const tenure = tenureOf(id);
    const count = Number(fields.get(id));
    if (state.owner?.story.tenure === tenure) this.#progress(key, state.owner, count, seq);
    else this.#grant(key, state, tenure, { count, seq });
  }

  #grant(lock: string, state: LockState, tenure: string, { count, seq }: { count: number; seq: number }): void {
    const before = state.owner;
    if (before !== undefined) {
      this.#flaw(
        'aof-two-owners',
        lock,
        [before.story.tenure, tenure],
        `${tenure} joins ${before.story.tenure}, which owns the lock`,
      );
    }
    const name = `${lock} ${tenure}`;
    const earlier = this.#tenures.get(name);
    if (earlier?.end === 'expired-or-deleted') earlier.regrantedAt.push(this.#second);
    else if (earlier !== undefined)
      this.#flaw('aof-regrant', lock, [tenure], `${tenure} owns the lock again, after its end`);
    if (this.#buried.has(tenure))
      this.#flaw('aof-regrant', lock, [tenure], `${tenure} owns the lock after its tombstone was set`);
    if (!this.#base && (count !== 1 || seq !== 1)) {
      this.#flaw('aof-count', lock, [tenure], `${tenure} begins with count ${count} and operation ${seq}`);
    }
    // Nobody has had a turn when the lock rests, and a base file does not say who came when.
    if (!isRest(tenure) && !this.#base) this.#checkTurn(lock, state, tenure);
    const latestEndMs = state.endMs ?? 0;
    const story: TenureStory = earlier ?? { tenure, lock, count, latestEndMs, end: undefined, regrantedAt: [] };
    story.end = undefined;
    this.#tenures.set(name, story);
    this.#granted.add(name);
    state.owner = { story, count, seq };
  }

  #checkTurn(lock: string, { queue }: LockState, tenure: string): void {
    const ticket = queue.get(tenure) ?? this.#popped(lock, tenure) ?? Infinity;
    for (const [other, otherTicket] of queue) {
      if (other === tenure || otherTicket >= ticket) continue;
      this.#flaw(
        'aof-order',
        lock,
        [tenure, other],
        `${tenure} has the lock before ${other}, which waits since ticket ${otherTicket}`,
      );
      return;
    }
  }

  /** One operation more of the same tenure. */
  #progress(lock: string, owner: Owner, count: number, seq: number): void {
    const { tenure } = owner.story;
    if (seq <= owner.seq)
      this.#flaw('aof-count', lock, [tenure], `operation ${seq} of ${tenure} comes after ${owner.seq}`);
    if (Math.abs(count - owner.count) > 1 || count < 1) {
      this.#flaw('aof-count', lock, [tenure], `the count of ${tenure} goes from ${owner.count} to ${count}`);
    }
    owner.count = count;
    owner.seq = seq;
    owner.story.count = Math.max(owner.story.count, count);
  }

  #hdel(key: string, fields: readonly string[]): void {
    const state = this.#locks.get(key);
    const owner = state?.owner;
    // A fresh entry goes one by one; whether the hash is empty then does not matter: it had its TTL.
    if (owner === undefined || !fields.some((field) => tenureOf(field) === owner.story.tenure)) return;
    const { rests, endMs } = state as LockState;
    const ttl = this.#ttl.get(key);
    this.#delete(key);
    if (!rests || ttl === undefined) return;
    this.#ttl.set(key, ttl);
    (state as LockState).endMs = endMs;
  }

  #expireAt(key: string, endMs: number): void {
    if (!this.#ttl.has(key)) return;
    this.#ttl.set(key, true);
    const state = this.#locks.get(key);
    if (state?.owner === undefined) return;
    state.endMs = endMs;
    state.owner.story.latestEndMs = Math.max(state.owner.story.latestEndMs, endMs);
  }

  #zadd(key: string, words: readonly string[]): void {
    const at = keyOf(key);
    if (at.kind !== 'queue') return;
    this.#exists(key);
    const { queue } = this.#lock(at.lock);
    // What changes nothing is not in the file, so that `NX` says nothing more.
    const args = words.filter((word) => word.toUpperCase() !== 'NX');
    for (let i = 0; i + 1 < args.length; i += 2) queue.set(tenureOf(args[i + 1] ?? ''), Number(args[i]));
  }

  readonly #lastPopped = new Map<string, { tenure: string; ticket: number }>();

  #popped(lock: string, tenure: string): number | undefined {
    const last = this.#lastPopped.get(lock);
    return last?.tenure === tenure ? last.ticket : undefined;
  }

  #popQueue(key: string): void {
    const at = keyOf(key);
    if (at.kind !== 'queue') return;
    const { queue } = this.#lock(at.lock);
    // Of equal tickets the server takes the first by name.
    const [head] = [...queue].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
    if (head === undefined) return;
    this.#lastPopped.set(at.lock, { tenure: head[0], ticket: head[1] });
    queue.delete(head[0]);
    if (queue.size === 0) this.#ttl.delete(key);
  }

  #leaveQueue(key: string, members: readonly string[]): void {
    const at = keyOf(key);
    if (at.kind !== 'queue') return;
    const { queue } = this.#lock(at.lock);
    for (const member of members) queue.delete(tenureOf(member));
    if (queue.size === 0) this.#ttl.delete(key);
  }

  #set(key: string, args: readonly string[]): void {
    const at = keyOf(key);
    if (at.kind !== 'tombstone') return;
    this.#buried.add(at.tenure);
    this.#exists(key);
    if (args.some((arg) => /^(?:px|ex|pxat|exat)$/i.test(arg))) this.#ttl.set(key, true);
  }

  #delete(key: string): void {
    this.#ttl.delete(key);
    const at = keyOf(key);
    if (at.kind === 'queue') this.#lock(at.lock).queue.clear();
    const state = this.#locks.get(key);
    if (state?.owner === undefined) return;
    // The second of the stamp has begun at least; expiry in its last millisecond is possible.
    // Before the first stamp the time is not known.
    const mayHaveExpired = this.#second === 0 || state.endMs === undefined || this.#second * 1_000 + 999 >= state.endMs;
    const { story } = state.owner;
    // Of those that are passed over because no message reaches them, one may ask again and be an owner then.
    if (this.#granted.has(`${story.lock} ${story.tenure}`)) this.#tenures.delete(`${story.lock} ${story.tenure}`);
    story.end = mayHaveExpired ? 'expired-or-deleted' : 'deleted';
    state.owner = undefined;
    state.endMs = undefined;
    state.rests = false;
  }

  #flush(): void {
    for (const { owner } of this.#locks.values()) if (owner !== undefined) owner.story.end = 'flushed';
    this.#locks.clear();
    this.#ttl.clear();
  }

  #exists(key: string): void {
    if (!this.#ttl.has(key)) this.#ttl.set(key, false);
    this.#touched.add(key);
  }

  #lock(name: string): LockState {
    let state = this.#locks.get(name);
    if (state === undefined) {
      state = { owner: undefined, endMs: undefined, rests: false, queue: new Map() };
      this.#locks.set(name, state);
    }
    return state;
  }

  #flaw(rule: Flaw['rule'], lock: string, tenures: readonly string[], text: string): void {
    this.#flaws.push({ rule, lock, tenures, text, second: this.#second });
  }
}

export function replay(transactions: Iterable<Transaction>): Timeline {
  const state = new Replay();
  for (const transaction of transactions) state.apply(transaction);
  return state.timeline;
}
