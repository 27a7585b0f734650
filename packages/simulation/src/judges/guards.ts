/**
 * Judges what is written through the guard of a fenced lock, by the data of the server.
 *
 * - No write changes anything behind one that came after it: under a later token, or later under the same one.
 * - Who is told that a write is done has done it, and who is told that its token is old is behind a later one; in peace nobody is told so whose lease is
 *   renewed.
 *
 * Each value is written by one call and by no other, so the data tells who has written.
 */

import { guardScripts } from '@holdfast/core';
import type { MemoryServer } from '@holdfast/memory';
import type { Scenario } from '../plan/scenario.js';
import type { Violation } from './violation.js';

/** The field of the hash that is written. */
export const WRITTEN_FIELD = 'last';

/** Which of the writes under which token. */
interface Place {
  readonly token: number;
  readonly n: number;
}

/** A write as it was sent. `value`: undefined where it deletes. */
interface Sent extends Place {
  readonly key: string;
  readonly value: string | undefined;
}

/** What was seen under a key. */
interface Seen {
  readonly value: string | undefined;
  /** Server time. */
  readonly endsAt: number;
}

const is = ({ sha, source }: { readonly sha: string; readonly source: string }, text: string | undefined) =>
  text === sha || text === source;

const nothing: Seen = { value: undefined, endsAt: Number.POSITIVE_INFINITY };

/** See the module comment. */
export class GuardJudge {
  readonly name: string;
  /** A string, and a hash. */
  readonly text: string;
  readonly hash: string;
  readonly #report: (violation: Violation) => void;
  readonly #keepsData: boolean;
  readonly #isCalm: boolean;
  readonly #seen = new Map<string, Seen>();
  /** The last of the writes that have changed something. */
  readonly #latest = new Map<string, Place & { readonly what: string }>();
  /** The highest token of all writes that have arrived. */
  readonly #highest = new Map<string, number>();
  /** Values that were written, and of which nobody has been told yet. */
  readonly #done = new Set<string>();
  #values = 0;

  constructor(name: string, scenario: Scenario, report: (violation: Violation) => void) {
    this.name = name;
    this.text = `${name}-text`;
    this.hash = `${name}-hash`;
    this.#report = report;
    this.#keepsData = scenario.class !== 'taken';
    this.#isCalm = scenario.class === 'calm';
  }

  /** A value that nobody else writes. */
  valueFor(who: string): string {
    return `${who}#${++this.#values}`;
  }

  /** The server has lost what it knew, or a part of it. */
  taken(): void {
    this.#seen.clear();
    this.#latest.clear();
  }

  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    const sent = this.#sentBy(request);
    if (sent === undefined) return;
    const { key, token, n, value } = sent;
    this.#highest.set(key, Math.max(token, this.#highest.get(key) ?? 0));
    const before = this.#seen.get(key) ?? nothing;
    const after = this.#look(server, key);
    this.#seen.set(key, after);
    const wasThere = before.value !== undefined && before.endsAt >= server.keysOf().nowMs;
    const isDone = value === undefined ? wasThere && after.value === undefined : after.value === value;
    if (!isDone || (value !== undefined && before.value === value)) return;
    if (value !== undefined) this.#done.add(value);
    const latest = this.#latest.get(key);
    const what = value ?? 'a deletion';
    if (latest === undefined || latest.token < token || (latest.token === token && latest.n <= n))
      this.#latest.set(key, { token, n, what });
    else
      this.#fail(
        now,
        `${what} (token ${token}, write ${n}) is done behind ${latest.what} (${latest.token}, ${latest.n})`,
      );
  }

  /** A call is told that it has written this. */
  written(now: number, who: string, value: string): void {
    if (!this.#done.delete(value) && this.#keepsData)
      this.#fail(now, `${who} is told that ${value} is written, and it never was`);
  }

  /** A call is told that a later token has written. `isRenewed`: the lease of its hold does not end by itself. */
  refused(
    now: number,
    who: string,
    { key, token, isRenewed }: { key: string; token: number; isRenewed: boolean },
  ): void {
    const highest = this.#highest.get(key) ?? 0;
    if (this.#isCalm && isRenewed) this.#fail(now, `${who} is refused under token ${token}, and has the lock`);
    else if (highest <= token && this.#keepsData)
      this.#fail(now, `${who} is refused under token ${token}, and the highest that came was ${highest}`);
  }

  #sentBy(request: readonly string[]): Sent | undefined {
    const [, script, , key = ''] = request;
    const isText = is(guardScripts.text, script);
    if (!(isText && key === this.text) && !(is(guardScripts.hash, script) && key === this.hash)) return undefined;
    const [token, n, command = '', ...args] = request.slice(5);
    const value = isText ? args[0] : args[1];
    return { key, token: Number(token), n: Number(n), value: command.endsWith('DEL') ? undefined : value };
  }

  #look(server: MemoryServer, key: string): Seen {
    const entry = server.keysOf().find(key);
    if (entry === undefined) return nothing;
    const { value, endsAt } = entry;
    if (value instanceof Map) return { value: value.get(WRITTEN_FIELD), endsAt };
    return { value: typeof value === 'string' ? value : undefined, endsAt };
  }

  #fail(at: number, text: string): void {
    this.#report({ rule: 'guard', at, lock: this.name, text });
  }
}
