import type * as permits from '@holdfast/core/permits';
import type { ClientParts } from '../client-parts.js';
import type { ClientCard } from '../identity.js';
import { Names } from './names.js';

/** Who has permits of a semaphore. */
export interface InspectedPermitHolder {
  /** Tenure id of holdfast, or of a permit with an id that id. */
  readonly id: string;
  /** How many it has. */
  readonly permits: number;
  /** True when this client has taken them. */
  readonly thisClient: boolean;
  /** What is left of their lease, in milliseconds; `never`: they are had until they are given back. */
  readonly remainingMs: number | 'never';
  /** Which client has taken them, if it has a `clientName` or `meta`. */
  readonly client: ClientCard | undefined;
  /** For how long it has had them or waited for them, in milliseconds; undefined with `client`. */
  readonly ageMs: number | undefined;
}

/** Who waits for permits of a semaphore. */
export interface InspectedPermitWait {
  /** Under which the call waits; as of {@link InspectedWait}. */
  readonly id: string;
  /** How many it wants, all at once; undefined with `leaseMs`. */
  readonly permits: number | undefined;
  /** Since it took its place in the line, by the clock of Redis, in milliseconds. */
  readonly waitingMs: number;
  /** It is a call of this client. */
  readonly thisClient: boolean;
  /** As of {@link InspectedPermitHolder}. */
  readonly client: ClientCard | undefined;
  /** The lease that it wants; undefined when it has not asked for so long that it will be given nothing before it asks again. */
  readonly leaseMs: number | 'never' | undefined;
}

/** What {@link RSemaphore.inspect} answers. */
export interface SemaphoreInspection {
  /** Of the semaphore, as it was asked for. */
  readonly name: string;
  /**
   * How many permits there are, free ones and those in use; undefined where nobody has set any. What clients of Redisson's plain `RSemaphore` have is not
   * known to anybody, and is missing.
   */
  readonly permits: number | undefined;
  /** How many nobody has; as {@link RSemaphore.availablePermits}. */
  readonly available: number;
  /** How many Redisson's clients have of its expirable semaphore, which is not said of whom. */
  readonly foreign: number;
  /** Who has permits: each acquisition, and each permit with an id, for itself. */
  readonly holders: readonly InspectedPermitHolder[];
  /** Who waits, next first: each call for itself. */
  readonly queue: readonly InspectedPermitWait[];
}

/** Puts what Redis knows of a semaphore into the words of this client. */
export async function semaphoreInspection(
  parts: ClientParts,
  name: string,
  { nowMs, free, javas, holders, queue }: permits.PermitsInspectReply,
): Promise<SemaphoreInspection> {
  const names = new Names(parts);
  const held = holders.reduce((sum, holder) => sum + holder.permits, javas);
  return {
    name,
    permits: free === undefined ? undefined : free + held,
    available: free ?? 0,
    foreign: javas,
    holders: await Promise.all(
      holders.map(async ({ tenure, permits, remainingMs }) => ({
        ...{ id: tenure, permits, thisClient: names.isOurs(tenure), remainingMs },
        ...(await names.of(tenure, nowMs)),
      })),
    ),
    queue: await Promise.all(
      queue.map(async ({ tenure, wanted, ticket, leaseMs }) => ({
        ...{ id: tenure, permits: wanted, waitingMs: Math.max(0, nowMs - Math.ceil(ticket / 1_000)) },
        ...{ thisClient: names.isOurs(tenure), client: (await names.of(tenure, nowMs)).client, leaseMs },
      })),
    ),
  };
}
