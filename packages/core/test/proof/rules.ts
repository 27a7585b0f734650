/**
 * The rule table of the protocol (with the refinements of docs/adr/0007) as a plain program: one lock, one
 * step at a time, no Redis. It is written from the rules and not from the Lua; the differential test holds the two
 * against each other. TTLs do not run down in here: a step of the test stands for expiry.
 */
import { type Command, LASTING, type Lock, type Other, type RenewItem, type Reply, type World } from './vocabulary.js';

/** What the server cannot be told beforehand: the ticket it gave to a newcomer, and whose inbox has a subscriber. */
export interface Surroundings {
  readonly newTicket: number;
  listens(clientId: string): boolean;
}

/** How many waiters that have gone one script passes over: it must not last for ever. */
const MOST_PASSED_OVER = 64;
/** Of a longer queue than this, the first so many are looked at by each ask. */
const LOOKED_AT = 16;

/** What is answered about a key that is not a lock; it is never touched. */
const REFUSED: Reply = ['refused', 'NOTALOCK'];

/** One lock in the rules' view; every method is one script. */
export class RuleTable {
  readonly world: World = { lock: undefined, queue: [], queueTtlMs: 0, fresh: {}, freshTtlMs: 0, dead: {} };
  /** What was published, in order. */
  messages: string[] = [];
  #around: Surroundings = { newTicket: 0, listens: () => true };

  apply(command: Command, around: Surroundings): Reply {
    this.#around = around;
    switch (command.op) {
      case 'ask':
        return this.#ask(command);
      case 'again':
        return this.#again(command);
      case 'handoff':
        return this.#handoff(command);
      case 'release':
        return this.#release(command);
      case 'cancel':
        return this.#cancel(command);
      case 'force':
        return this.#force(command);
      case 'renew':
        return command.items.map((item) => this.#renew(item));
    }
  }

  queues(tenure: string): boolean {
    return this.#place(tenure) >= 0;
  }

  #ask(command: Command & { op: 'ask' }): Reply {
    const { world } = this;
    const { tenure, leaseMs, freshMs, freshTtlMs } = command;
    if (tenure in world.dead) return ['dead'];
    const { lock } = world;
    if (isOther(lock)) return REFUSED;
    const count = lock?.owners[tenure];
    if (lock !== undefined && count !== undefined) {
      lock.ttlMs = Math.max(lock.ttlMs, leaseMs);
      return ['mine', count, lock.seq ?? 0, lock.ttlMs, world.queue.length, lock.inherited ?? 'nothing'];
    }
    const inherited = this.#foundGone();
    const wasQuiet = world.queue.length === 0;
    if (freshMs > 0) {
      // They last for longer than is needed, so that they are raised seldom; other clients may need them for even longer.
      const hasBoth = !wasQuiet && Object.keys(world.fresh).length > 0;
      const isRaised = (hasBoth ? world.freshTtlMs : 0) <= freshTtlMs;
      const ttlMs = Math.max(2 * freshTtlMs, wasQuiet ? 0 : world.queueTtlMs);
      this.#enqueue(tenure, command.ticket === 0 ? this.#around.newTicket : command.ticket);
      world.fresh[tenure] = { wantedMs: leaseMs, until: 'ahead', more: '' };
      if (isRaised) {
        world.queueTtlMs = ttlMs;
        world.freshTtlMs = ttlMs;
      }
      if (lock !== undefined && lock.seq === undefined) world.returned = lock.ttlMs === LASTING ? 'always' : 'ahead';
    }
    if (lock === undefined) return this.#askForFree(command, wasQuiet ? undefined : inherited);
    const foreign = lock.seq === undefined;
    if (freshMs > 0 && this.#place(tenure) >= LOOKED_AT) this.#dropStale();
    if (freshMs === 0) return ['busy', told(lock.ttlMs), foreign];
    const place = this.#place(tenure);
    if (place === 0 && !foreign) this.#tell(ownerOf(lock), `contended ${ownerOf(lock)}`);
    return ['wait', told(lock.ttlMs), place, this.#ticketOf(tenure), foreign];
  }

  #dropStale(): void {
    const { world } = this;
    const stale = world.queue.slice(0, LOOKED_AT).filter((waiter) => world.fresh[waiter.tenure]?.until !== 'ahead');
    for (const waiter of stale) this.#retire(waiter.tenure, 0);
  }

  /** The first waiter is served; the newcomer takes the lock only when no waiter is left before it. */
  #askForFree(command: Command & { op: 'ask' }, inherited: Inherited | undefined): Reply {
    const { world } = this;
    const { tenure, leaseMs } = command;
    let granted = this.#grant(command, inherited, { tenure, leaseMs });
    if (granted === undefined && world.queue.length === 0) granted = this.#own(tenure, leaseMs, inherited);
    if (granted === tenure) return ['acquired', 1, 1, leaseMs, world.queue.length, inherited];
    const remainingMs = granted === undefined ? 0 : command.claimMs;
    if (command.freshMs === 0) return ['busy', remainingMs, false];
    return ['wait', remainingMs, this.#place(tenure), this.#ticketOf(tenure), false];
  }

  #again({ tenure, seq, leaseMs }: Command & { op: 'again' }): Reply {
    const { lock } = this.world;
    if (isOther(lock) || lock?.owners[tenure] === undefined) return ['lost'];
    if (seq > (lock.seq ?? 0)) {
      if (leaseMs > 0) lock.ttlMs = Math.max(lock.ttlMs, leaseMs);
      lock.owners[tenure]++;
      lock.seq = seq;
    }
    return ['held', lock.owners[tenure], told(lock.ttlMs)];
  }

  #handoff({ tenure, seq, leaseMs }: Command & { op: 'handoff' }): Reply {
    const { lock, queue } = this.world;
    if (isOther(lock) || lock?.owners[tenure] === undefined) return ['lost'];
    if (seq > (lock.seq ?? 0)) {
      if (lock.owners[tenure] !== 1) return ['lost'];
      lock.ttlMs = leaseMs;
      lock.seq = seq;
    }
    return ['passed', told(lock.ttlMs), queue.length];
  }

  #release(command: Command & { op: 'release' }): Reply {
    const { tenure, seq, tombstoneMs } = command;
    const { lock, dead } = this.world;
    const count = isOther(lock) ? undefined : lock?.owners[tenure];
    if (lock === undefined || isOther(lock) || count === undefined) {
      const known = tenure in dead;
      this.#retire(tenure, tombstoneMs);
      return [known ? 'released' : 'notHeld'];
    }
    if (seq <= (lock.seq ?? 0)) return ['held', count];
    if (count > 1) {
      lock.seq = seq;
      lock.owners[tenure] = count - 1;
      return ['held', count - 1];
    }
    this.#retire(tenure, tombstoneMs);
    const granted = this.#grant(command, 'nothing');
    if (granted !== undefined) return ['granted', granted];
    if (this.world.queue.length > 0 && Object.keys(this.world.fresh).length > 0) this.world.returned = 'always';
    this.messages.push('free');
    return ['released'];
  }

  #cancel(command: Command & { op: 'cancel' }): Reply {
    const { tenure, tombstoneMs } = command;
    const { lock } = this.world;
    const owned = lock !== undefined && !isOther(lock) && tenure in lock.owners;
    const left = command.end === 'lost' ? 'expired' : 'nothing';
    const inherited = owned && command.end === 'unused' ? (lock.inherited ?? 'nothing') : left;
    this.#retire(tenure, tombstoneMs);
    if (owned && this.#grant(command, inherited) === undefined) this.messages.push('free');
    return ['cancelled', owned];
  }

  #force(command: Command & { op: 'force' }): Reply {
    const { dead, lock } = this.world;
    const known = dead[command.request];
    if (known !== undefined) return ['forced', known.value];
    if (isOther(lock)) return REFUSED;
    const owner = lock === undefined ? '' : ownerOf(lock);
    dead[command.request] = { value: owner, ttlMs: command.tombstoneMs };
    const granted = this.#grant(command, lock === undefined ? this.#foundGone() : 'forced');
    if (lock !== undefined && granted === undefined) this.messages.push('free');
    if (lock?.seq !== undefined) this.#tell(owner, `lost ${owner} force-unlocked`);
    return ['forced', owner];
  }

  #renew({ of, tenure, leaseMs }: RenewItem): Reply {
    const lock = { 'this lock': this.world.lock, 'no lock': undefined, 'a text': 'text' as const }[of];
    if (lock === undefined) return ['lost', 'deleted'];
    if (isOther(lock) || !(tenure in lock.owners)) return ['lost', 'taken'];
    const longEnough = leaseMs === 0 || leaseMs < lock.ttlMs;
    if (!longEnough) lock.ttlMs = leaseMs;
    return [longEnough ? 'held' : 'renewed', told(lock.ttlMs)];
  }

  /**
   * GRANT: the lock is free from here on, and goes to the first waiter that is still there. Words that a later version has put into its entry
   * change nothing: it becomes the only owner, which is enough for whatever it asked.
   */
  #grant(
    { claimMs, trust }: { claimMs: number; trust: boolean },
    inherited: Inherited | undefined,
    self?: { tenure: string; leaseMs: number },
  ) {
    const { world } = this;
    world.lock = undefined;
    for (let tried = 0; tried < MOST_PASSED_OVER; tried++) {
      const id = world.queue.shift()?.tenure;
      if (id === undefined) return undefined;
      const entry = world.fresh[id];
      delete world.fresh[id];
      delete world.returned;
      if (id === self?.tenure) return this.#own(id, self.leaseMs, inherited);
      if (entry?.until !== 'ahead') continue;
      const ttlMs = Math.min(claimMs, entry.wantedMs);
      const heard = this.#tell(id, `grant ${id} ${ttlMs} ${world.queue.length} ${inherited ?? 'nothing'}`);
      if (heard || !trust) return this.#own(id, ttlMs, inherited);
    }
    return undefined;
  }

  /** A lock that is gone although tenures wait was not given back, unless it is known to have been. */
  #foundGone(): Inherited {
    return this.world.returned === undefined ? 'expired' : 'nothing';
  }

  #own(tenure: string, ttlMs: number, inherited: Inherited | undefined): string {
    const mark = inherited === 'nothing' || inherited === undefined ? {} : { inherited };
    this.world.lock = { owners: { [tenure]: 1 }, seq: 1, ...mark, ttlMs };
    return tenure;
  }

  #retire(tenure: string, tombstoneMs: number): void {
    const { world } = this;
    world.queue = world.queue.filter((waiter) => waiter.tenure !== tenure);
    delete world.fresh[tenure];
    if (world.queue.length === 0) delete world.returned;
    if (tombstoneMs > 0) world.dead[tenure] = { value: '1', ttlMs: tombstoneMs };
  }

  #enqueue(tenure: string, ticket: number): void {
    const { queue } = this.world;
    if (this.queues(tenure)) return;
    queue.push({ tenure, ticket });
    queue.sort((a, b) => a.ticket - b.ticket || (a.tenure < b.tenure ? -1 : 1));
  }

  #place(tenure: string): number {
    return this.world.queue.findIndex((waiter) => waiter.tenure === tenure);
  }

  #ticketOf(tenure: string): number | undefined {
    return this.world.queue.find((waiter) => waiter.tenure === tenure)?.ticket;
  }

  /** A message without subscriber is not seen. */
  #tell(tenure: string, message: string): boolean {
    const heard = this.#around.listens(clientOf(tenure));
    if (heard) this.messages.push(message);
    return heard;
  }
}

type Inherited = 'expired' | 'forced' | 'nothing';

/** Whether an application's data stands there. */
export function isOther(lock: World['lock']): lock is Other {
  return lock === 'text' || lock === 'record';
}

/** The first: owners that have joined it since, as Java's readers do, are no tenures of ours. */
export function ownerOf({ owners }: Lock): string {
  return Object.keys(owners)[0] ?? '';
}

/** A remaining lease as replies give it: undefined where there is none. */
function told(ttlMs: number): number | undefined {
  return ttlMs === LASTING ? undefined : ttlMs;
}

/** `<client id>:<n>` or `<owner>:<client id>:<n>`. */
function clientOf(tenure: string): string {
  return tenure.split(':').at(-2) ?? '';
}
