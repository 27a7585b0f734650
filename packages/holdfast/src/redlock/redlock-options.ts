import type { RedisOptions, Redis } from 'ioredis';
import {
  checkFlag,
  checkKeys,
  checkTime,
  keysOf,
  type LimitOptions,
  type LockClientOptions,
  MIN_LEASE_MS,
} from '../options.js';
import { resolveSettings, type Settings, sharedKeys } from '../settings.js';
import type { VotingTimes } from './electorate.js';

/** How to reach one node: a URL, ioredis options, or a `Redis` of your own, which is never closed. One server each, without Sentinel and Cluster. */
export type RedLockNodeInput = string | RedisOptions | Redis;

/** Options of {@link createRedLockClient}. All times are whole milliseconds, at most 2^31 (about 24.8 days). Those that are not described here are as in {@link LockClientOptions}. */
export interface RedLockClientOptions
  extends Omit<LockClientOptions, 'redis' | 'wakeup' | 'replicas' | 'tokens' | 'limits' | 'clientName' | 'meta'> {
  /**
   * The servers: an odd number, three at least. They must not replicate each other, and should not fail together: each on a machine of its own.
   * Give all clients the same list in the same order; the order decides where calls stand in line.
   */
  nodes: readonly RedLockNodeInput[];
  /**
   * How long a node may take for its vote before it is passed over; at most a twentieth of the lease, whatever is set. Set it to a few round
   * trips to the farthest node that you want to count on. At least 1. Default 50.
   */
  nodeTimeoutMs?: number | undefined;
  /**
   * What must be left of a lease when its lock is handed over; for calls with `leaseMs` at most half of that. At most three quarters of
   * `watchdogTimeoutMs`. Default: half of the lease.
   */
  minValidityMs?: number | undefined;
  /**
   * The longest lease that any client of these nodes asks for. A node that was started less than this ago does not vote: it may have forgotten a
   * lock. **All clients of the nodes must agree on it.** A call with a longer `leaseMs` is refused with LockLimitError. Not below
   * `watchdogTimeoutMs`. Default: `watchdogTimeoutMs`.
   */
  longestLeaseMs?: number | undefined;
  /**
   * The nodes write each command to their log before they answer (`appendonly yes`, `appendfsync always`), and keep it: one for which both settings
   * are found so votes right after a start, also a new and empty one. Needs the right to CONFIG GET. Default false.
   */
  durable?: boolean | undefined;
  /** How much the client may have at once. The longest lease is `longestLeaseMs`. */
  limits?: Omit<LimitOptions, 'leaseMs'> | undefined;
}

/** {@link RedLockClientOptions}, checked. */
export interface RedLockSettings {
  readonly nodes: readonly RedLockNodeInput[];
  readonly settings: Settings;
  readonly times: VotingTimes;
  readonly longestLeaseMs: number;
  readonly durable: boolean;
}

const knownKeys = keysOf<RedLockClientOptions>({
  ...sharedKeys,
  nodes: true,
  nodeTimeoutMs: true,
  minValidityMs: true,
  longestLeaseMs: true,
  durable: true,
});
const limitKeys = keysOf<NonNullable<RedLockClientOptions['limits']>>({ waiters: true, locks: true, depth: true });
const FEWEST_NODES = 3;
/** The rest of a lease that is renewed in time: with more, no lock could be handed over. */
const MOST_VALIDITY = 3 / 4;

/** Checks the options and applies defaults. @throws TypeError or RangeError for what cannot work. */
export function resolveRedLockSettings(options: RedLockClientOptions): RedLockSettings {
  checkKeys('createRedLockClient', options, knownKeys);
  const { nodes, nodeTimeoutMs = 50, minValidityMs, longestLeaseMs, durable = false, limits = {}, ...rest } = options;
  const servers = checkNodes(nodes);
  checkKeys('limits', limits, limitKeys);
  checkTime('nodeTimeoutMs', nodeTimeoutMs, 1);
  const [redis] = servers as readonly [RedLockNodeInput];
  const settings = resolveSettings({ ...rest, redis, limits });
  const { watchdogTimeoutMs } = settings;
  const longest = checkTime(
    'longestLeaseMs',
    longestLeaseMs === undefined ? watchdogTimeoutMs : longestLeaseMs,
    MIN_LEASE_MS,
  );
  if (longest < watchdogTimeoutMs) {
    throw new RangeError(
      `longestLeaseMs must not be below watchdogTimeoutMs (${watchdogTimeoutMs}), the lease of calls that ask for none`,
    );
  }
  if (minValidityMs !== undefined) {
    checkTime('minValidityMs', minValidityMs, 1);
    const most = Math.floor(watchdogTimeoutMs * MOST_VALIDITY);
    if (minValidityMs > most) throw new RangeError(`minValidityMs must be at most ${most}, for this watchdogTimeoutMs`);
  }
  return {
    nodes: servers,
    settings: { ...settings, limits: { ...settings.limits, leaseMs: longest } },
    times: { nodeTimeoutMs, minValidityMs },
    longestLeaseMs: longest,
    durable: checkFlag('durable', durable),
  };
}

function checkNodes(nodes: unknown): readonly RedLockNodeInput[] {
  if (!Array.isArray(nodes))
    throw new TypeError('nodes must be an array: a URL, ioredis options or a Redis for each server');
  const servers = [...(nodes as readonly RedLockNodeInput[])];
  if (servers.length < FEWEST_NODES) {
    throw new RangeError(
      `nodes: a majority needs ${FEWEST_NODES} independent servers at least, got ${servers.length}; for one server use createLockClient`,
    );
  }
  if (servers.length % 2 === 0) {
    throw new RangeError(
      `nodes must be an odd number: ${servers.length} servers can do without no more of them than ${servers.length - 1} can`,
    );
  }
  return servers;
}
