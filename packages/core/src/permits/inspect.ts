import { type InspectedWaiter, pairs } from '../lock/inspect.js';
import { command } from '../protocol/command.js';
import type { SemaphoreKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import type { Lease } from '../protocol/lease.js';
import { numbersIn } from '../queue/entry.js';
import { inspect as operation } from './scripts.gen.js';

/** Who has permits. */
export interface InspectedPermits {
  /** Tenure id, or the id of a permit. */
  readonly tenure: string;
  readonly permits: number;
  readonly remainingMs: Lease;
}

/** One waiting tenure. */
export interface InspectedPermitsWaiter extends Omit<InspectedWaiter, 'leaseMs'> {
  /** How many permits it wants; undefined with `freshUntilMs`. */
  readonly wanted: number | undefined;
  readonly leaseMs: Lease | undefined;
}

/** Reply to {@link inspect}. */
export interface PermitsInspectReply {
  /** Server time. */
  readonly nowMs: number;
  /** Permits that nobody has; undefined where there is no semaphore. Of one that was made smaller it may be negative. */
  readonly free: number | undefined;
  /** Permits that Redisson's clients have of its expirable semaphore. */
  readonly javas: number;
  /** Those whose lease has not ended. */
  readonly holders: readonly InspectedPermits[];
  /** Head first. */
  readonly queue: readonly InspectedPermitsWaiter[];
}

/** Everything that Redis knows of a semaphore, at one instant. Writes nothing; grows with its holders and its queue: for diagnosis only. */
export function inspect(keys: SemaphoreKeys): Command<PermitsInspectReply> {
  return command(operation, keys, {}, decode);
}

function decode(reply: Reply): PermitsInspectReply {
  const nowMs = reply.hasLength(6).natural(0);
  const counter = reply.list(1);
  const [records, queue, fresh] = [pairs(reply.list(3)), pairs(reply.list(4)), pairs(reply.list(5))];
  const holders: InspectedPermits[] = [];
  let free = counter.length === 0 ? undefined : counter.integer(0);
  for (const tenure of records.names) {
    const [permits, until] = numbersIn(records.text(tenure), 2);
    if (free === undefined || permits === undefined || until === undefined) continue;
    const remainingMs = until === 0 ? 'never' : until - nowMs;
    if (remainingMs === 'never' || remainingMs > 0) holders.push({ tenure, permits, remainingMs });
    else free += permits;
  }
  return {
    nowMs,
    free,
    javas: reply.natural(2),
    holders,
    queue: queue.names.map((tenure) => {
      const [freshUntilMs, leaseMs, wanted] = numbersIn(fresh.text(tenure), 3);
      const ticket = queue.natural(tenure);
      return { tenure, ticket, freshUntilMs, leaseMs: leaseMs === 0 ? 'never' : leaseMs, wanted };
    }),
  };
}
