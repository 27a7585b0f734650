/**
 * What must be true of one lock, as a model: who is inside, who waits, who may be next, and what is still to follow.
 *
 * Each process has a *line*, the calls that wait in the order in which they were made, and a *stack*, the calls that are inside. The next to
 * get in is the first of the line while the stack is empty, else the first that descends from its top; others never get in.
 * - At most one process has anybody inside; after the lock was taken away, until the holder is told.
 * - A loss ends all that is inside at once. Calls made below it are told so and never get in; all others go on waiting.
 * - A call that was aborted, or made directly in a scope that has ended, never gets in.
 *
 * It learns of each event a few microtasks after the code under test has acted, hence the *turn*: what happened in the same turn of the event
 * loop has no order.
 */
import { LockLostError, LockScopeError, LockTimeoutError, LockUnavailableError } from 'holdfast';
import { Call, type Place, Process } from './calls.js';
import type { Manner } from './programs.js';

/** What a call that was aborted rejects with. */
export class Refused extends Error {}

/** A lock that was taken away is believed in until the next verification or the end of the lease: no lease of a program lasts as long. */
const TOLD_WITHIN_MS = 1_000;
/** Until then timers that were due have run, whatever message came first. */
const AFTER_TIMERS_MS = 30;

/** See the module comment. */
export class LineModel {
  readonly processes: readonly Process[] = [new Process('ours'), new Process('others')];
  /** Rejects with the first thing that was not as it must be. */
  readonly broken: Promise<never>;
  failure: Error | undefined;
  /** Calls whose end is under way. */
  readonly leaving = new Set<Call>();
  /** What ends of calls have rejected with. */
  readonly ends = new Set<unknown>();
  /** Whatever was observed. */
  changes = 0;
  entered = 0;
  #takenAwayAt = Number.NEGATIVE_INFINITY;
  readonly #break: (failure: Error) => void;

  constructor() {
    let reject!: (failure: Error) => void;
    this.broken = new Promise<never>((_, fail) => {
      reject = fail;
    });
    this.broken.catch(() => undefined);
    this.#break = reject;
  }

  fail(what: string): never {
    throw this.report(new Error(`${what}\n${this.#picture()}`));
  }

  /** Keeps the first failure: what comes after it is of no interest. */
  report(failure: unknown): Error {
    this.failure ??= failure instanceof Error ? failure : new Error(String(failure));
    this.#break(this.failure);
    return this.failure;
  }

  // ---------------------------------------------------------------- what is observed

  call(process: Process, place: Place | undefined, manner: Manner): Call {
    const call = new Call(process, place, manner);
    process.line.push(call);
    this.#changed();
    return call;
  }

  abort(call: Call): void {
    if (call.state !== 'waiting') return;
    call.aborted = 'now';
    setImmediate(() => {
      call.aborted = 'yes';
    });
  }

  /** @param home - the scope in which calls re-enter it from now on. */
  enter(call: Call, found: 'held' | 'lost', home: Place | undefined): void {
    // Time may have passed since the last change.
    this.#changed();
    this.entered++;
    const { process } = call;
    process.line = process.line.filter((other) => other !== call);
    call.state = found === 'held' ? 'inside' : 'lost';
    if (found === 'held') this.#judge(call);
    call.home = home;
    home?.owned.push(call);
    if (found === 'held') process.stack.push(call);
    this.#changed();
    this.#noteOverlap();
  }

  /** It will not get in. */
  refuse(call: Call, error: unknown): void {
    const { process, manner, belowLoss } = call;
    process.line = process.line.filter((other) => other !== call);
    call.state = 'over';
    this.#changed();
    if (error === 'busy' || error instanceof LockTimeoutError || error instanceof LockUnavailableError) {
      if (manner.patience === 'brief' || manner.patience === 'once') return;
    } else if (error instanceof Refused) {
      if (call.aborted !== 'no') return;
    } else if (error instanceof LockScopeError) {
      if (call.place !== undefined && call.place.life !== 'live') return;
    } else if (error instanceof LockLostError) {
      const nested = call.place !== undefined || manner.owner !== undefined;
      // Its own command may be the first to find that out.
      const found = process.losses > call.lossesBefore || this.#excused;
      if (belowLoss || call.hopeless || (nested && found)) return;
    } else throw error;
    this.fail(`${call.title} was refused with ${String(error)}`);
  }

  /** It is given back; to be called before the release. */
  leave(call: Call): void {
    if (call.state === 'inside') call.state = 'over';
    const { stack } = call.process;
    if (stack.includes(call)) stack.splice(stack.indexOf(call), 1);
    const { home } = call;
    if (home !== undefined) home.owned = home.owned.filter((other) => other !== call);
    this.#changed();
  }

  end(place: Place, leftovers: 'abandon' | 'release'): void {
    place.life = 'ending';
    setImmediate(() => {
      place.life = 'ended';
      this.#changed();
    });
    for (const call of place.owned) {
      if (call.state !== 'inside' || call.readState !== undefined) continue;
      if (leftovers === 'abandon') call.state = 'leaked';
      else this.leave(call);
    }
    this.#changed();
  }

  /** The process has said so. `error`: what it said, to be told from what the end of an earlier call is told. */
  lost(process: Process, error: LockLostError): void {
    // What was left open, and nothing else: calls around it stay inside.
    if (error.reason === 'scope-ended') return;
    process.losses++;
    process.lostInThisTurn = true;
    const byOthers = error.reason === 'taken' || error.reason === 'force-unlocked';
    if (byOthers && !this.#excused) this.report(new Error(`${process.title} lost it: ${error.reason}`));
    const open = [...process.stack];
    const known = open.find(({ readState }) => readState !== undefined);
    const leaving = [...this.leaving].some((call) => call.process === process && call.state === 'over');
    if (known === undefined ? !leaving : known.readState?.() === 'lost') this.#lose(process, open);
    setImmediate(() => {
      process.lostInThisTurn = false;
      if (known === undefined && leaving && !this.ends.has(error)) this.#lose(process, open);
    });
  }

  /** The lock is being taken away from whoever has it, or was right now. */
  takenAway(): void {
    this.#takenAwayAt = performance.now();
  }

  // ---------------------------------------------------------------- what follows from it

  /** What must happen yet before everybody waits for somebody else. */
  unsettled(): string | undefined {
    for (const call of this.leaving) if (call.state === 'over') return `the end of ${call.title}`;
    if (this.processes.every(({ believes }) => believes)) return 'one of two believers to be told';
    const held = this.processes.some(({ stack }) => stack.length > 0);
    for (const { line, top } of this.processes) {
      for (const call of line) {
        if (call.aborted !== 'no') return `an answer to an aborted call: ${call.title}`;
        if (call.cancelled) return `an answer to a call whose scope has ended: ${call.title}`;
        if (call.belowLoss) return `an answer to a call inside a lost hold: ${call.title}`;
        if (call.manner.patience === 'once') return `an answer to a single attempt: ${call.title}`;
        if (call.manner.patience === 'brief') return `an answer to a brief call: ${call.title}`;
        if (!held) return `the lock is free, but there waits ${call.title}`;
        if (top?.state === 'inside' && call.descendsFrom(top))
          return `it descends from the top, but waits: ${call.title}`;
      }
    }
    return undefined;
  }

  /** The hold counts that Redis may have when all is settled. */
  get counts(): readonly number[] {
    const height = Math.max(...this.processes.map(({ stack }) => stack.length));
    // What was left open goes by itself.
    return this.processes.some(({ stack }) => stack.some(({ state }) => state === 'leaked')) ? [height, 0] : [height];
  }

  /** Those who are told that they hold the lock. */
  get believers(): readonly Call[] {
    return this.processes.flatMap(({ stack }) => stack.filter(({ state }) => state === 'inside'));
  }

  // ---------------------------------------------------------------- small parts

  get #excused(): boolean {
    return performance.now() - this.#takenAwayAt < TOLD_WITHIN_MS;
  }

  /** Whether it may be inside. */
  #judge(call: Call): void {
    const { aborted, cancelled, belowLoss, nextBelow, blurred, title } = call;
    if (aborted === 'yes') this.fail(`it was aborted, and got in: ${title}`);
    if (cancelled) this.fail(`its scope had ended, and it got in: ${title}`);
    if (belowLoss) this.fail(`the hold around it is lost, and it got in: ${title}`);
    if (nextBelow === undefined) this.fail(`it was not next, and got in: ${title}`);
    this.#forgetLeftovers();
    const { top } = call.process;
    // Whoever it was to follow may have left while it was on its way.
    const followed = nextBelow !== 'free' && nextBelow.state !== 'inside';
    if (top !== undefined && !call.descendsFrom(top) && !followed && !blurred) {
      this.fail(`it does not descend from the top, and got in: ${title}`);
    }
  }

  #lose(process: Process, open: readonly Call[]): void {
    process.losses++;
    process.stack = process.stack.filter((call) => !open.includes(call));
    for (const call of open) if (call.state === 'inside') call.state = 'lost';
    this.#changed();
  }

  #changed(): void {
    this.changes++;
    for (const { line, top: latest, believes } of this.processes) {
      // What was left open goes without a word.
      const top = believes ? latest : undefined;
      for (const call of line) {
        if (top !== undefined && !call.descendsFrom(top)) continue;
        call.nextBelow = top ?? 'free';
        if (!call.answered) break;
      }
    }
  }

  /** Somebody got in where only locks were left open: their leases have run out. */
  #forgetLeftovers(): void {
    for (const process of this.processes) if (!process.believes) process.stack = [];
  }

  #noteOverlap(): void {
    const [one, other] = this.processes.map(({ top }) => top);
    if (one === undefined || other === undefined || this.#excused) return;
    // Time may have passed unseen: the first look tells.
    for (const call of this.believers) call.readState?.();
    setTimeout(() => {
      if (one.state === 'inside' && other.state === 'inside' && !this.#excused) {
        this.report(new Error(`two are inside: ${one.title} and ${other.title}`));
      }
    }, AFTER_TIMERS_MS);
  }

  #picture(): string {
    return this.processes
      .map(({ title, stack, line }) => `${title}: inside [${titles(stack)}], waiting [${titles(line)}]`)
      .join('\n');
  }
}

function titles(calls: readonly Call[]): string {
  return calls.map(({ title }) => title).join('; ');
}
