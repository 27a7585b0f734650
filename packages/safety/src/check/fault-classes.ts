/**
 * What a run may do to the world, and what must still hold then. Data: a run names its class, a checker reads it.
 *
 * `always`: no lock library may lose it under these faults. `until-told`: the faults take locks away from live holders, so two may hold
 * at once until the victim is told, and that has a bound: by message at once, else at its next renewal, else at its deadline.
 */
import type { Rule } from './violation.js';

export interface FaultClass {
  readonly name: string;
  readonly means: string;
  readonly exclusion: Exclusion;
  /** Rules that do not hold in this class, each with the reason. All others do. */
  readonly suspended: Readonly<Partial<Record<Rule, string>>>;
}

export type Exclusion =
  | { readonly kind: 'always' }
  | {
      readonly kind: 'until-told';
      /** Codes of the faults that take a lock away from its holder. A `force` operation of the lock always does. */
      readonly takenBy: readonly string[];
      /** How much of the victim's lease it may go on believing: a third until the next renewal, all of it when Redis is unreachable. */
      readonly leaseShare: number;
      /** And this for scheduling on a busy machine. */
      readonly slackMs: number;
    };

const lost = { slackMs: 500 } as const;

export const faultClasses = {
  none: { name: 'none', means: 'no faults', exclusion: { kind: 'always' }, suspended: {} },
  'crash-and-network': {
    name: 'crash-and-network',
    means:
      'connections, partitions, delays, lost replies, pauses and deaths of workers and servers, scripts flushed, memory and rights taken away; what Redis has answered it keeps, and its clock runs on',
    exclusion: { kind: 'always' },
    suspended: {},
  },
  'loss-of-data': {
    name: 'loss-of-data',
    means:
      'force unlock, deleted keys, emptied servers, failover to a replica that lags, restart without data; and all of crash-and-network',
    exclusion: {
      kind: 'until-told',
      takenBy: ['del', 'flushall', 'failover', 'master-kill', 'server-kill', 'eviction'],
      leaseShare: 1,
      ...lost,
    },
    suspended: {
      'lost-update': 'two may write until the victim is told',
      'token-order': 'the counter of tokens may be lost with the rest',
      'token-shared': 'the counter of tokens may be lost with the rest',
      'guard-order': 'what a guard remembers may be lost with the rest',
      'aof-order': 'a line that is lost or lags is served in another order',
      'aof-no-grant': 'the server that granted may have lost it',
      'not-linearizable': 'whatever was taken away without a trace in the history explains nothing',
    },
  },
  'force-unlock': {
    name: 'force-unlock',
    means:
      'force unlock and deleted keys only, with Redis reachable: the victim is told by message, or at its next renewal',
    exclusion: { kind: 'until-told', takenBy: ['del'], leaseShare: 1 / 3, ...lost },
    suspended: { 'lost-update': 'two may write until the victim is told' },
  },
  'clock-jumps': {
    name: 'clock-jumps',
    means: "the servers' wall clocks jump: leases end early or late; and all of crash-and-network",
    exclusion: { kind: 'until-told', takenBy: ['clock-jump'], leaseShare: 1, ...lost },
    suspended: {
      'lost-update': 'two may write until the victim is told',
      'aof-order': 'tickets are times of the server',
      'aof-deadline': 'the lease in the server ends at a wall-clock time that jumps',
      'not-linearizable': 'a lease that a jump ends early leaves no trace in the history',
    },
  },
} as const satisfies Record<string, FaultClass>;

export type FaultClassName = keyof typeof faultClasses;

/** The class of that name; undefined when there is none. */
export function faultClassOf(name: string): FaultClass | undefined {
  return Object.hasOwn(faultClasses, name) ? faultClasses[name as FaultClassName] : undefined;
}
