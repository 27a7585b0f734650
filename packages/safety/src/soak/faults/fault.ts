import type { FaultProxy, SeededRandom } from '@holdfast/testkit';
import type { Redis } from 'ioredis';

/** One process of the soak, as faults see it. */
export interface Victim {
  /** Of its connections, on the server. */
  readonly connectionName: string;
  /** Between it and the server. */
  readonly proxy: FaultProxy;
}

/** What a fault may use. */
export interface FaultTools {
  readonly admin: Redis;
  readonly random: SeededRandom;
}

/** One way to disturb a process. None of them may end a lease: see `schedule.ts`. */
export interface Fault {
  readonly name: string;
  readonly begin: (victim: Victim, tools: FaultTools) => Promise<void> | void;
  /** At most, in milliseconds; 0: it is over at once. */
  readonly longestMs: number;
  /** Of what lasts. */
  readonly end?: (victim: Victim) => Promise<void>;
}
