/**
 * The rule table of the protocol (section 2, with the refinements of docs/adr/0007) as a plain program: one lock, one
 * step at a time, no Redis. It is written from the rules and not from the Lua; the differential test holds the two
 * against each other. TTLs do not run down in here: a step of the test stands for expiry.
 */
import type { Command, Reply, World } from './vocabulary.js';

/** What the server cannot be told beforehand: the ticket it gave to a newcomer, and whose inbox has a subscriber. */
export interface Surroundings {
  readonly newTicket: number;
  listens(clientId: string): boolean;
}

const HELD_ONCE = { count: 1, seq: 1 };

/** One lock in the rules' view; every method is one script. */
export class RuleTable {
  readonly world: World = { owner: undefined, queue: [], queueTtlMs: 0, fresh: {}, freshTtlMs: 0, dead: {} };
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
        return command.tenures.map((tenure) => this.#renew(tenure, command.leaseMs));
    }
  }

  queues(tenure: string): boolean {
    return this.#place(tenure) >= 0;
  }

  #ask(command: Command & { op: 'ask' }): Reply {
    const { world } = this;
    const { tenure, leaseMs, freshMs, freshTtlMs } = command;
    if (tenure in world.dead) return ['dead'];
    const { owner } = world;
    if (owner?.id === tenure) {
      owner.ttlMs = Math.max(owner.ttlMs, leaseMs);
      return ['mine', owner.count, owner.seq ?? 0, owner.ttlMs, world.queue.length];
    }
    if (freshMs > 0) {
      this.#enqueue(tenure, command.ticket === 0 ? this.#around.newTicket : command.ticket);
      world.fresh[tenure] = { wantedMs: leaseMs, until: 'ahead' };
      world.queueTtlMs = freshTtlMs;
      world.freshTtlMs = freshTtlMs;
    }
    if (owner === undefined) return this.#askForFree(command);
    if (freshMs === 0) return ['busy', owner.ttlMs, owner.seq === undefined];
    const place = this.#place(tenure);
    if (place === 0 && owner.seq !== undefined) this.#tell(owner.id, `contended ${owner.id}`);
    return ['wait', owner.ttlMs, place, this.#ticketOf(tenure), owner.seq === undefined];
  }

  /** Whoever came first is served; the newcomer takes the lock only when nobody is left before it. */
  #askForFree(command: Command & { op: 'ask' }): Reply {
    const { world } = this;
    const { tenure, leaseMs } = command;
    const granted = this.#grant(command, { tenure, leaseMs });
    if (granted === undefined && world.queue.length === 0) world.owner = { id: tenure, ...HELD_ONCE, ttlMs: leaseMs };
    if (world.owner?.id === tenure) return ['acquired', 1, 1, leaseMs, world.queue.length];
    const remainingMs = granted === undefined ? 0 : command.claimMs;
    if (command.freshMs === 0) return ['busy', remainingMs, false];
    return ['wait', remainingMs, this.#place(tenure), this.#ticketOf(tenure), false];
  }

  #again({ tenure, seq, leaseMs }: Command & { op: 'again' }): Reply {
    const { owner } = this.world;
    if (owner?.id !== tenure) return ['lost'];
    if (seq > (owner.seq ?? 0)) {
      owner.ttlMs = Math.max(owner.ttlMs, leaseMs);
      owner.count++;
      owner.seq = seq;
    }
    return ['held', owner.count, owner.ttlMs];
  }

  #handoff({ tenure, seq, leaseMs }: Command & { op: 'handoff' }): Reply {
    const { owner, queue } = this.world;
    if (owner?.id !== tenure) return ['lost'];
    if (seq > (owner.seq ?? 0)) {
      if (owner.count !== 1) return ['lost'];
      owner.ttlMs = leaseMs;
      owner.seq = seq;
    }
    return ['passed', owner.ttlMs, queue.length];
  }

  #release(command: Command & { op: 'release' }): Reply {
    const { tenure, seq, tombstoneMs } = command;
    const { owner, dead } = this.world;
    if (owner?.id !== tenure) {
      const known = tenure in dead;
      this.#retire(tenure, tombstoneMs);
      return [known ? 'released' : 'notHeld'];
    }
    if (seq <= (owner.seq ?? 0)) return ['held', owner.count];
    if (owner.count > 1) {
      owner.seq = seq;
      return ['held', --owner.count];
    }
    this.#retire(tenure, tombstoneMs);
    const granted = this.#grant(command);
    if (granted !== undefined) return ['granted', granted];
    this.messages.push('free');
    return ['released'];
  }

  #cancel(command: Command & { op: 'cancel' }): Reply {
    const { tenure, tombstoneMs } = command;
    const owned = this.world.owner?.id === tenure;
    this.#retire(tenure, tombstoneMs);
    if (owned && this.#grant(command) === undefined) this.messages.push('free');
    return ['cancelled', owned];
  }

  #force(command: Command & { op: 'force' }): Reply {
    const { dead, owner } = this.world;
    const known = dead[command.request];
    if (known !== undefined) return ['forced', known.value];
    dead[command.request] = { value: owner?.id ?? '', ttlMs: command.tombstoneMs };
    const granted = this.#grant(command);
    if (owner !== undefined && granted === undefined) this.messages.push('free');
    if (owner?.seq !== undefined) this.#tell(owner.id, `lost ${owner.id} force-unlocked`);
    return ['forced', owner?.id ?? ''];
  }

  #renew(tenure: string, leaseMs: number): Reply {
    const { owner, queue } = this.world;
    if (owner?.id !== tenure) return ['lost', owner === undefined ? 'deleted' : 'taken'];
    owner.ttlMs = Math.max(owner.ttlMs, leaseMs);
    return ['owned', owner.ttlMs, queue.length];
  }

  /** GRANT: the lock is free from here on, and goes to the first waiter that is still there. */
  #grant({ claimMs, trust }: { claimMs: number; trust: boolean }, self?: { tenure: string; leaseMs: number }) {
    const { world } = this;
    world.owner = undefined;
    for (let head = world.queue.shift(); head !== undefined; head = world.queue.shift()) {
      const id = head.tenure;
      const entry = world.fresh[id];
      delete world.fresh[id];
      if (id === self?.tenure) {
        world.owner = { id, ...HELD_ONCE, ttlMs: self.leaseMs };
        return id;
      }
      if (entry?.until !== 'ahead') continue;
      const ttlMs = Math.min(claimMs, entry.wantedMs);
      const heard = this.#tell(id, `grant ${id} ${ttlMs} ${world.queue.length}`);
      if (!heard && trust) continue;
      world.owner = { id, ...HELD_ONCE, ttlMs };
      return id;
    }
    return undefined;
  }

  #retire(tenure: string, tombstoneMs: number): void {
    const { world } = this;
    world.queue = world.queue.filter((waiter) => waiter.tenure !== tenure);
    delete world.fresh[tenure];
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

  /** A message without subscriber is not seen by anybody. */
  #tell(tenure: string, message: string): boolean {
    const heard = this.#around.listens(clientOf(tenure));
    if (heard) this.messages.push(message);
    return heard;
  }
}

/** `<client id>:<n>` or `<owner>:<client id>:<n>`. */
function clientOf(tenure: string): string {
  return tenure.split(':').at(-2) ?? '';
}
