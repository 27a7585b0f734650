/**
 * Judges in whose name the calls of one client ask for a lock: in that of the call that has waited longest, for that is the one that will have it.
 *
 * The client may know before its caller does that a call has come to an end. So what it sends is compared when the event is over in which it sent that.
 */

import { callsIn, clientOf } from './requests.js';

/** A call that has not settled. `owner`: undefined where its scope is. */
export interface WaitingCall {
  readonly owner: string | undefined;
}

interface Line {
  readonly calls: Set<WaitingCall>;
  /** The owners of the calls that have come first since the client last asked in a new name. */
  readonly first: Set<string | undefined>;
  /** The owners in whose names it has begun to ask meanwhile. */
  asked: (string | undefined)[];
}

/** See the module comment. */
export class FirstCalls {
  readonly #lock: string;
  readonly #lines = new Map<string, Line>();
  readonly #known = new Set<string>();

  /** @param lock - its key. */
  constructor(lock: string) {
    this.#lock = lock;
  }

  /** Returns what to do when the call has settled. */
  calls(clientId: string, owner: string | undefined): () => void {
    const line = this.#lineOf(clientId);
    const call = { owner };
    line.calls.add(call);
    noteFirst(line);
    return () => {
      line.calls.delete(call);
      noteFirst(line);
    };
  }

  /** A client has sent `request`. */
  sent(request: readonly string[]): void {
    for (const { name, lock, tenure } of callsIn(request)) {
      if (name !== 'ask' || lock !== this.#lock || this.#known.has(tenure)) continue;
      this.#known.add(tenure);
      const clientId = clientOf(tenure);
      const end = tenure.indexOf(`:${clientId}:`);
      this.#lineOf(clientId).asked.push(end < 0 ? undefined : tenure.slice(0, end));
    }
  }

  /** After each event. Returns what is wrong, in words. */
  look(): string | undefined {
    for (const [clientId, line] of this.#lines) {
      const { asked, first } = line;
      if (asked.length === 0) continue;
      line.asked = [];
      const wrong = asked.find((owner) => !first.has(owner));
      if (wrong !== undefined || (asked.includes(undefined) && !first.has(undefined)))
        return `${clientId} asks on behalf of ${wrong ?? 'a scope'}, and first comes ${[...first].join()}`;
      first.clear();
      noteFirst(line);
    }
    return undefined;
  }

  #lineOf(clientId: string): Line {
    let line = this.#lines.get(clientId);
    if (line === undefined) this.#lines.set(clientId, (line = { calls: new Set(), first: new Set(), asked: [] }));
    return line;
  }
}

function noteFirst({ calls, first }: Line): void {
  for (const { owner } of calls) {
    first.add(owner);
    return;
  }
}
