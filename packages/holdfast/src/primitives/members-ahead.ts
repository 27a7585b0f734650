/**
 * Members of a multi-lock that are asked for behind the one whose turn it is, in one command with it.
 *
 * Redis takes them in their order and ends with the first that is not free, so this is what asking one after the other comes to, without the way back and
 * forth in between: nobody waits for a member while a later one is held. For a member behind the first it never asks for a place in the queue. What it gets
 * is a stake of no call, until the multi-lock comes to that member: its call takes the stake over. So each call is made, waits, is counted and ends
 * as without this.
 *
 *      asked for ---> had, and so are those before it ---> taken over by its call
 *          |                       |
 *          +-----------------------+---> withdrawn: a member before it was not had, or a call of this process has come before its own
 *
 * Whatever is not clear is withdrawn until Redis acknowledges it, and asked for again in its turn.
 */

import type { CheckedOptions } from '../acquire-options.js';
import { MOST_IN_ONE } from '../connection/joint-copies.js';
import type { LockLostReason } from '../errors.js';
import type { Failure } from '../tenure/failures.js';
import { outlastsLease } from '../tenure/hold-terms.js';
import type { Inherited } from '../tenure/inherited.js';
import type { Stake, StakeAhead, StakeListener } from '../tenure/stake.js';
import { termsOf } from './acquisition.js';
import type { Member } from './member.js';

/** See the module comment. */
export class MembersAhead {
  /** In the order in which they are taken. */
  readonly #members: readonly Member[];
  readonly #options: CheckedOptions;
  readonly #asked = new Map<Member, StakeOfNoCall>();
  /** The member whose turn it is has been taken. */
  #taken = false;

  constructor(members: readonly Member[], options: CheckedOptions) {
    this.#members = members;
    this.#options = options;
  }

  /** The call for a member, which `take` makes, has its hold. To be told in the turn in which it gets it. */
  readonly onTaken = (): void => {
    this.#taken = true;
  };

  /** Calls for a member, whose turn it is: with the stake in it, if there is one; else together with those behind it. */
  take<T>(member: Member, take: (ahead: StakeAhead | undefined) => Promise<T>): Promise<T> {
    const ahead = this.#asked.get(member);
    this.#taken = false;
    if (ahead?.held === true) {
      const taking = take(ahead);
      if (this.#taken) this.#asked.delete(member);
      else this.withdraw();
      return taking;
    }
    this.withdraw();
    const behind = this.#behind(member);
    if (behind.length === 0) return take(undefined);
    const { sender } = member.host.parts;
    return sender.together(() => {
      const taking = take(undefined);
      for (const follower of behind) sender.behind(member.operations.key, () => this.#ask(follower));
      return taking;
    });
  }

  /** Gives back, or undoes, whatever no call has taken over. */
  withdraw(): void {
    for (const ahead of this.#asked.values()) ahead.withdraw();
    this.#asked.clear();
  }

  /** Those that can be taken in one command with `member`: next in the order, of the same kind, not in use here, and within the limit of locks. */
  #behind(member: Member): readonly Member[] {
    // With such a minimum `member` is had by a second answer only, and those behind it would come before.
    if (!isFree(member) || outlastsLease(termsOf(member.host, this.#options))) return [];
    const next = this.#members.indexOf(member) + 1;
    const rest = this.#members.slice(next, next + MOST_IN_ONE - 1);
    const { room } = member.host.registry;
    const end = rest.findIndex((other, index) => index + 1 >= room || !isFree(other) || !isAlike(other, member));
    return end < 0 ? rest : rest.slice(0, end);
  }

  #ask(member: Member): void {
    const { host, operations, owner } = member;
    const ahead = new StakeOfNoCall(() => this.#taken);
    this.#asked.set(member, ahead);
    // Patient until never: it asks for no place.
    const demand = { terms: termsOf(host, this.#options), patientUntil: -Infinity };
    ahead.ask(host.parts.openStake(operations, { owner, demand }, ahead));
  }
}

/** No call of this client has or wants it, and it may be had by a command for several. */
function isFree({ host, operations }: Member): boolean {
  // Replicas confirm what each connection wrote last, for one lock at a time.
  return (
    operations.mayFollow === true &&
    host.parts.settings.replicas === undefined &&
    host.registry.find(operations) === undefined
  );
}

function isAlike(one: Member, other: Member): boolean {
  return one.host.parts.sender === other.host.parts.sender && one.operations.primitive === other.operations.primitive;
}

class StakeOfNoCall implements StakeListener, StakeAhead {
  readonly #mayBeHeld: () => boolean;
  #stake: Stake | undefined;
  #state: 'asked' | 'held' | 'over' = 'asked';
  #inherited: Inherited | undefined;
  #heir: StakeListener | undefined;

  /** @param mayBeHeld - whether those before it are held. */
  constructor(mayBeHeld: () => boolean) {
    this.#mayBeHeld = mayBeHeld;
  }

  get held(): boolean {
    // The look at the lease may be what finds it over.
    if (this.#state === 'held') this.#stake?.lease.check();
    return this.#state === 'held';
  }

  ask(stake: Stake): void {
    this.#stake = stake;
    stake.ask();
  }

  claim(lock: StakeListener & { tenure: Stake | undefined }): boolean {
    if (this.#stake === undefined || this.#heir !== undefined || !this.held) return false;
    this.#heir = lock;
    lock.tenure = this.#stake;
    lock.onHeld(this.#stake, 'asked', this.#inherited);
    return true;
  }

  withdraw(): void {
    if (this.#heir === undefined && this.#state !== 'over') this.#end();
  }

  #end(): void {
    this.#state = 'over';
    void this.#stake?.cancel();
  }

  onHeld(_: Stake, __: 'asked' | 'granted', inherited?: Inherited): void {
    this.#inherited = inherited;
    if (this.#state === 'asked' && this.#mayBeHeld()) this.#state = 'held';
    else this.#end();
  }

  onBusy(): void {
    this.#end();
  }

  onFailed(stake: Stake, failure: Failure | { kind: 'over' }): void {
    this.#state = 'over';
    // It was not asked for. A second copy, which could have run although this one was not, is never sent: where one may have left, there is no answer.
    if (failure.kind === 'over') stake.forget();
    else void stake.cancel();
  }

  onLost(stake: Stake, reason: LockLostReason): void {
    if (this.#heir === undefined) this.#end();
    else this.#heir.onLost(stake, reason);
  }

  onSuspect(stake: Stake): void {
    this.#heir?.onSuspect(stake);
  }
}
