/** Runs a random program with real clients, and tells the model what happens, as it happens. */
import { getEventListeners } from 'node:events';
import type { RedisKit } from '@holdfast/testkit';
import { expect } from '@jest/globals';
import type * as fc from 'fast-check';
import {
  type AcquireOptions,
  type Hold,
  type LockClient,
  LockLostError,
  LockUnavailableError,
  type RLock,
} from 'holdfast';
import { stall } from '../../support/stall.js';
import { BRIEF_MS, Call, Place, type Process } from './calls.js';
import { Comparison, enterAsFound } from './comparison.js';
import { LineModel, Refused } from './line-model.js';
import type { Act, Locked, Manner, Program, Section } from './programs.js';

/** Leases that a program can outlast, and that a busy machine renews in time, mostly. */
export const WATCHED_MS = 300;
const FIXED_MS = 500;
const SHORT_MS = 100;

/** Where in a program a flow is. */
interface Position {
  readonly process: Process;
  readonly client: LockClient;
  readonly place: Place | undefined;
  /** The acquisition around it. */
  readonly around: Call | undefined;
  /** The run directly around it, where it is the only flow. */
  readonly run: Place | undefined;
}

/** One program on one lock. */
export class Flows {
  readonly model = new LineModel();
  readonly comparison: Comparison;
  readonly #kit: RedisKit;
  readonly #scheduler: fc.Scheduler;
  readonly #name: string;
  readonly #clients: readonly LockClient[];
  readonly #program: Program;
  readonly #aborts: AbortController[] = [];
  readonly #detached: Promise<void>[] = [];
  #steps = 0;

  constructor(kit: RedisKit, scheduler: fc.Scheduler, name: string, clients: readonly LockClient[], program: Program) {
    this.#kit = kit;
    this.#scheduler = scheduler;
    this.#name = name;
    this.#clients = clients;
    this.#program = program;
    this.comparison = new Comparison(kit, name, this.model);
  }

  /** Resolves when every flow has ended. @throws Error that says what was not as it must be. */
  async run(): Promise<void> {
    const [us, them] = this.#clients.map((client, index) => this.#outside(client, index)) as [Position, Position];
    const stopListening = this.#listen();
    const relief = setInterval(() => this.#relieve(us), 20);
    try {
      const { ours, others } = this.#program;
      const flows = [...ours.map((acts) => this.#acts(acts, us)), ...others.map((acts) => this.#acts(acts, them))];
      const all = this.#ended(flows);
      await Promise.race([this.#scheduler.waitFor(all, (step) => this.#step(step)), this.model.broken]);
      for (const { signal } of this.#aborts) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    } finally {
      clearInterval(relief);
      stopListening();
      // After a failure: whoever still waits must not be in the way of the next program.
      for (const abort of this.#aborts) abort.abort(new Refused());
    }
  }

  /** Also what is detached, which may begin more of it. */
  async #ended(flows: readonly Promise<void>[]): Promise<void> {
    await Promise.all(flows);
    for (let next = this.#detached.shift(); next !== undefined; next = this.#detached.shift()) await next;
  }

  #outside(client: LockClient, index: number): Position {
    const process = this.model.processes[index] as Process;
    return { process, client, place: undefined, around: undefined, run: undefined };
  }

  #listen(): () => void {
    const stops = this.#clients.map((client, index) => {
      const process = this.model.processes[index] as Process;
      const onLost = ({ name, error }: { name: string; error: LockLostError }) => {
        if (name === this.#name) this.model.lost(process, error);
      };
      client.on('lost', onLost);
      return () => client.off('lost', onLost);
    });
    return () => {
      for (const stop of stops) stop();
    };
  }

  // ---------------------------------------------------------------- acts

  async #acts(acts: readonly Act[], at: Position): Promise<void> {
    for (const act of acts) await this.#act(act, at);
  }

  async #act(act: Act, at: Position): Promise<void> {
    switch (act.do) {
      case 'pause':
        return this.#pause();
      case 'look':
        return this.comparison.look(at.client, at.process, at.place);
      case 'section':
      case 'hold':
        return this.#sectionOrHold(act, at);
      case 'thread':
        return this.#runAlone(at, (inside) => this.#locked(act, inside));
      case 'again':
        return at.run === undefined ? this.#runAlone(at, (inside) => this.#locked(act, inside)) : this.#locked(act, at);
      case 'run':
        return this.#runAlone(at, (inside) => this.#acts(act.body, inside));
      case 'both':
        await Promise.all(act.branches.map((branch) => this.#acts(branch, { ...at, run: undefined })));
        return;
      case 'force':
      case 'delete':
        return this.#takeAway(act.do, at.client);
      case 'stall':
        stall(WATCHED_MS + 20);
    }
  }

  async #sectionOrHold(act: Section, at: Position): Promise<void> {
    const doing = act.do === 'section' ? this.#section(act, at) : this.#hold(act, at);
    if (!act.detached) return doing;
    doing.catch(() => undefined);
    this.#detached.push(doing);
    return undefined;
  }

  async #section({ manner, body }: Section, at: Position): Promise<void> {
    const { lock, call, options } = this.#begin(manner, at);
    const fn = async (hold: Hold) => {
      const place = new Place(at.place);
      this.#entered(call, hold, manner.owner === undefined ? place : undefined);
      try {
        await this.#within(place, body, { ...at, place, around: call, run: undefined });
      } finally {
        this.model.leave(call);
      }
    };
    const once = call.manner.patience === 'once';
    await this.#released(call, once ? lock.tryWithLock(options, fn) : lock.withLock(options, fn));
  }

  async #hold({ manner, body }: Section, at: Position): Promise<void> {
    const { lock, call, options } = this.#begin(manner, at);
    const once = call.manner.patience === 'once';
    const hold = await this.#admitted(call, once ? lock.tryAcquire(options) : lock.acquire(options));
    if (!hold) return;
    const place = new Place(at.place);
    this.#entered(call, hold, place);
    const work = () => this.#within(place, body, { ...at, place, around: call, run: undefined });
    // On a busy machine a short lease may be over by now.
    if (hold.state !== 'lost') await hold.run(work);
    this.model.leave(call);
    await this.#released(call, hold.release());
  }

  /** In a run of its own; what it leaves open is given back with it, or is not. */
  async #runAlone(at: Position, inside: (at: Position) => Promise<void>): Promise<void> {
    const place = new Place(at.place);
    await at.client.run(async () => {
      try {
        await inside({ ...at, place, run: place });
      } finally {
        this.model.end(place, this.#program.leftovers);
      }
    });
  }

  /** Directly inside a run. */
  async #locked({ manner, ends, body }: Locked, at: Position): Promise<void> {
    const { lock, call, options } = this.#begin({ ...manner, owner: undefined }, at);
    const { waitMs, ...lockOptions } = options;
    const unlimited = waitMs === undefined && call.manner.patience !== 'once';
    const got = unlimited
      ? lock.lock(lockOptions).then(() => true)
      : lock.tryLock(waitMs, lockOptions.leaseMs, { signal: options.signal as AbortSignal });
    if (!(await this.#admitted(call, got))) return;
    await enterAsFound(lock, at.process, (found) => this.model.enter(call, found, at.run));
    await this.#pause();
    await this.#acts(body, { ...at, around: call });
    if (ends === 'open') return;
    const latest = at.run?.owned.at(-1) as Call;
    this.model.leave(latest);
    await this.#released(latest, lock.unlock());
  }

  async #within(place: Place, body: readonly Act[], at: Position): Promise<void> {
    try {
      await this.#pause();
      await this.#acts(body, at);
      await this.#pause();
    } finally {
      this.model.end(place, this.#program.leftovers);
    }
  }

  // ---------------------------------------------------------------- one call

  #begin(wanted: Manner, at: Position): { lock: RLock; call: Call; options: AcquireOptions } {
    const abort = new AbortController();
    this.#aborts.push(abort);
    const manner = this.#waitsForItself(wanted, at) ? { ...wanted, patience: 'brief' as const } : wanted;
    const call = this.model.call(at.process, at.place, manner);
    if (manner.patience === 'abort') {
      const giveUp = () => {
        this.model.abort(call);
        abort.abort(new Refused());
      };
      this.#pause().then(giveUp, () => undefined);
    }
    const leaseMs = { watched: undefined, fixed: FIXED_MS, short: SHORT_MS }[manner.lease];
    const options: AcquireOptions = {
      signal: abort.signal,
      ...(leaseMs === undefined ? {} : { leaseMs }),
      ...(manner.patience === 'brief' ? { waitMs: BRIEF_MS } : {}),
    };
    const { owner } = manner;
    return { lock: at.client.getLock(this.#name, owner === undefined ? {} : { owner }), call, options };
  }

  /** It would wait for the very hold around it. */
  #waitsForItself(manner: Manner, { process, place, around }: Position): boolean {
    return around?.state === 'inside' && !new Call(process, place, manner).descendsFrom(around);
  }

  #entered(call: Call, hold: Hold, home: Place | undefined): void {
    call.readState = () => hold.state;
    this.model.enter(call, hold.state === 'lost' ? 'lost' : 'held', home);
  }

  /** What the call has resolved with; undefined when it was refused. */
  async #admitted<T>(call: Call, answer: Promise<T>): Promise<T | undefined> {
    try {
      const got = await answer;
      if (!got) this.model.refuse(call, 'busy');
      return got;
    } catch (error) {
      this.model.refuse(call, error);
      return undefined;
    }
  }

  /** It has left, or never got in. */
  async #released(call: Call, done: Promise<unknown>): Promise<void> {
    this.model.leaving.add(call);
    try {
      await done;
      if (call.state === 'waiting') this.model.refuse(call, 'busy');
      if (call.state === 'lost') this.model.fail(`it was lost, and nobody was told so: ${call.title}`);
    } catch (error) {
      this.model.ends.add(error);
      if (call.state === 'waiting') this.model.refuse(call, error);
      // Likewise: it was given back in time, and the answer came when its lease was over.
      else if (error instanceof LockUnavailableError) return;
      else if (!(error instanceof LockLostError)) throw error;
      else if (call.process.losses === call.lossesBefore)
        this.model.fail(`it was not lost, and was said to be: ${call.title}`);
    } finally {
      this.model.leaving.delete(call);
    }
  }

  // ---------------------------------------------------------------- steps

  #pause(): Promise<void> {
    if (this.model.failure !== undefined) throw this.model.failure;
    return this.#scheduler.schedule(Promise.resolve());
  }

  async #step(step: () => Promise<unknown>): Promise<void> {
    await step();
    if (++this.#steps % this.#program.stride !== 0) return;
    try {
      await this.comparison.settle();
    } catch (error) {
      this.model.report(error);
    }
  }

  // ---------------------------------------------------------------- taking it away

  async #takeAway(how: 'force' | 'delete', client: LockClient): Promise<void> {
    this.model.takenAway();
    if (how === 'force') await client.getLock(this.#name).forceUnlock();
    else await this.#kit.admin.del(this.#name);
    this.model.takenAway();
  }

  /** A lock that an inner run has left open is renewed for the sake of those around it: should these wait for it, nobody else ends that. */
  #relieve({ client }: Position): void {
    const stuck = this.model.processes.some(({ stack, line, believes }) => {
      return believes && line.length > 0 && stack.some(({ state }) => state === 'leaked');
    });
    if (stuck && this.#scheduler.count() === 0) void this.#takeAway('force', client).catch(() => undefined);
  }
}
