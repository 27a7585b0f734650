/** The options of a client, checked once, with every default applied. */

import { assertTimings } from '@holdfast/notify';
import { checkIdentity, type Identity } from './identity.js';
import {
  checkChoice,
  checkCount,
  checkFlag,
  checkKeys,
  checkString,
  checkTime,
  checkWellFormed,
  keysOf,
  type LimitOptions,
  type LockClientOptions,
  MAX_TIME_MS,
  MIN_LEASE_MS,
  type ReplicaOptions,
} from './options.js';

/** {@link LockClientOptions} with every default applied, checked once. */
export interface Settings {
  readonly prefix: string;
  /** Undefined when the client says nothing of itself. */
  readonly identity: Identity | undefined;
  readonly watchdogTimeoutMs: number;
  readonly maxHoldMs: number | undefined;
  readonly heldWarnMs: number | undefined;
  readonly attemptTimeoutMs: number;
  readonly responseTimeoutMs: number;
  readonly claimLeaseMs: number;
  readonly reaskMs: number;
  readonly wakeup: 'queue' | 'redisson';
  readonly tokens: 'time' | 'count';
  readonly replicas: Required<Readonly<ReplicaOptions>> | undefined;
  readonly limits: Required<Readonly<LimitOptions>>;
  readonly deadlocks: 'report' | 'refuse';
  readonly strictScopes: boolean;
  readonly releaseOnScopeEnd: boolean;
}

/** The options that every kind of client has. */
export const sharedKeys = {
  prefix: true,
  watchdogTimeoutMs: true,
  maxHoldMs: true,
  heldWarnMs: true,
  attemptTimeoutMs: true,
  responseTimeoutMs: true,
  claimLeaseMs: true,
  reaskMs: true,
  limits: true,
  deadlocks: true,
  strictScopes: true,
  releaseOnScopeEnd: true,
} as const;
const knownKeys = keysOf<LockClientOptions>({
  ...sharedKeys,
  redis: true,
  clientName: true,
  meta: true,
  wakeup: true,
  tokens: true,
  replicas: true,
});
const replicaKeys = keysOf<ReplicaOptions>({ min: true, timeoutMs: true });
const MOST_REPLICAS = 1_000;
const limitKeys = keysOf<LimitOptions>({ waiters: true, locks: true, depth: true, leaseMs: true });

/** Longest prefix: names may be four times as long. */
const MAX_PREFIX_BYTES = 256;

function checkPrefix(given: unknown): string {
  const prefix = checkString('prefix', given);
  checkWellFormed('prefix', prefix);
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES) {
    throw new RangeError(`prefix must not be longer than ${MAX_PREFIX_BYTES} bytes`);
  }
  return prefix;
}

function checkLimits(given: LimitOptions, watchdogTimeoutMs: number): Settings['limits'] {
  checkKeys('limits', given, limitKeys);
  const { waiters = 100_000, locks = 100_000, depth = 1_000, leaseMs = MAX_TIME_MS } = given;
  checkTime('limits.leaseMs', leaseMs, MIN_LEASE_MS);
  if (leaseMs < watchdogTimeoutMs) {
    throw new RangeError(
      `limits.leaseMs must not be below watchdogTimeoutMs (${watchdogTimeoutMs}), the lease of calls that ask for none`,
    );
  }
  return {
    waiters: checkCount('limits.waiters', waiters),
    locks: checkCount('limits.locks', locks),
    depth: checkCount('limits.depth', depth),
    leaseMs,
  };
}

function checkReplicas(given: ReplicaOptions, attemptTimeoutMs: number): Settings['replicas'] {
  checkKeys('replicas', given, replicaKeys);
  const { min, timeoutMs = Math.floor(attemptTimeoutMs / 2) } = given;
  checkCount('replicas.min', min, MOST_REPLICAS);
  // WAIT takes 0 for "for ever".
  checkTime('replicas.timeoutMs', timeoutMs, 1);
  if (timeoutMs >= attemptTimeoutMs)
    throw new RangeError(
      'replicas.timeoutMs must be below attemptTimeoutMs, or an attempt ends before it is confirmed',
    );
  return { min, timeoutMs };
}

/** Checks the options of `method` and applies defaults. The only reader of raw client options. */
export function resolveSettings(options: LockClientOptions, method = 'createLockClient'): Settings {
  checkKeys(method, options, knownKeys);
  const {
    watchdogTimeoutMs = 30_000,
    maxHoldMs,
    heldWarnMs,
    attemptTimeoutMs = 1_000,
    responseTimeoutMs = 10_000,
  } = options;
  const { claimLeaseMs = 3_000, reaskMs = 1_500, wakeup = 'queue', replicas, limits = {} } = options;
  const { tokens = wakeup === 'redisson' ? 'count' : 'time' } = options;
  const { prefix = '', deadlocks = 'report', strictScopes = false, releaseOnScopeEnd = false } = options;
  checkChoice('wakeup', wakeup, ['queue', 'redisson']);
  checkChoice('tokens', tokens, ['time', 'count']);
  checkChoice('deadlocks', deadlocks, ['report', 'refuse']);
  const settings: Settings = {
    prefix: checkPrefix(prefix),
    identity: checkIdentity(options.clientName, options.meta),
    watchdogTimeoutMs: checkTime('watchdogTimeoutMs', watchdogTimeoutMs, MIN_LEASE_MS),
    maxHoldMs: maxHoldMs === undefined ? undefined : checkTime('maxHoldMs', maxHoldMs, MIN_LEASE_MS),
    heldWarnMs: heldWarnMs === undefined ? undefined : checkTime('heldWarnMs', heldWarnMs, 1),
    attemptTimeoutMs: checkTime('attemptTimeoutMs', attemptTimeoutMs, 1),
    responseTimeoutMs: checkTime('responseTimeoutMs', responseTimeoutMs, 1),
    claimLeaseMs: checkTime('claimLeaseMs', claimLeaseMs, MIN_LEASE_MS),
    reaskMs: checkTime('reaskMs', reaskMs, 1),
    wakeup,
    tokens,
    replicas: replicas === undefined ? undefined : checkReplicas(replicas, attemptTimeoutMs),
    limits: checkLimits(limits, watchdogTimeoutMs),
    deadlocks,
    strictScopes: checkFlag('strictScopes', strictScopes),
    releaseOnScopeEnd: checkFlag('releaseOnScopeEnd', releaseOnScopeEnd),
  };
  assertTimings(settings);
  return settings;
}
