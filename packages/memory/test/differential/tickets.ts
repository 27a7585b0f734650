/** Tickets of waiters in stories: what an ask was told, it names when it asks again. */

import type { Outcome } from './sides.js';
import type { Step } from './story.js';

/** Where an ask has its ticket, and its answer `wait` the one it gives. */
const ticketAt: Readonly<Record<string, number>> = { ask: 3, 'fenced/ask': 3, 'read-write/ask': 4, 'permits/ask': 4 };
const TICKET_IN_REPLY = 3;

/** The step with the ticket that its tenure was told last. */
export function ticketed<S extends Step>(step: S, tickets: ReadonlyMap<string, string>): S {
  const ticket = step.kind === 'call' && step.ticketOf !== undefined ? tickets.get(step.ticketOf) : undefined;
  if (step.kind !== 'call' || ticket === undefined) return step;
  return { ...step, args: step.args.map((arg, index) => (index === ticketAt[step.name] ? ticket : arg)) };
}

/** The ticket that an ask was told. */
export function ticketIn(script: string, outcome: Outcome | undefined): string | undefined {
  if (!(script in ticketAt) || outcome === undefined || !('reply' in outcome)) return undefined;
  const { reply } = outcome;
  return Array.isArray(reply) && reply[0] === 'wait' ? String(reply[TICKET_IN_REPLY]) : undefined;
}
