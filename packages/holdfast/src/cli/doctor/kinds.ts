/** What a user lacks for the kinds of locks that need more than an exclusive lock: nothing is wrong where they are not used. */

import { randomUUID } from 'node:crypto';
import { lockKeys, type Prefixes, readWriteKeys, semaphoreKeys } from '@holdfast/core';
import * as election from '@holdfast/core/election';
import * as latch from '@holdfast/core/latch';
import type { Redis } from 'ioredis';
import type { Finding } from './finding.js';
import { missingOf, patternUpTo, type Trial, verdict } from './trial.js';

const COST = 'only for who uses them';

/** What a kind needs besides. The key is one that nobody has, and no call makes it. */
interface Kind {
  readonly check: string;
  readonly keys: readonly string[];
  readonly channel: string;
  readonly calls: (key: string) => readonly Trial[];
  /** What does not work without a right, where all else does. */
  readonly partly?: Readonly<Record<string, string>>;
}

/** `named`: patterns of keys that are missing for every lock, and that give those of a kind too when they are wide enough. */
export async function examineKinds(
  redis: Redis,
  prefixes: Required<Prefixes>,
  named: readonly string[],
): Promise<Finding[]> {
  const name = `doctor-${randomUUID()}`;
  const at = (key: string) => prefixes.keyPrefix + key;
  const isNamed = (right: string) => named.some((pattern) => right.startsWith(pattern.slice(0, -1)));
  const findings: Finding[] = [];
  for (const { check, keys, channel, calls, partly = {} } of kindsOf(name, prefixes)) {
    const commands = await missingOf(redis, 'command', calls(at(lockKeys(name, prefixes).lock)));
    const looks: readonly Trial[] = [
      ...keys.map((key): Trial => [`~${at(key)}`, 'EXISTS', at(key)]),
      [`&${channel}`, 'PUBLISH', channel, ''],
    ];
    const patterns = await missingOf(redis, 'argument', looks);
    const unlooked = new Set(await missingOf(redis, 'command', looks.map(byCommand)));
    // One key of Redisson's says behind the name what it is.
    const tailOf = (right: string) => /\}?:timeout$/.exec(right)?.[0] ?? '';
    const all = [...commands, ...patterns.map((right) => patternUpTo(name, right) + tailOf(right))];
    const missing = all.filter((right) => !isNamed(right));
    const parts = missing.flatMap((right) => partly[right] ?? []);
    const cost = parts.length < missing.length ? COST : parts.join('; ');
    const blind = `without ${[...unlooked].join(' ')} keys and channels cannot be looked at`;
    if (unlooked.size === 0) findings.push(verdict(check, missing, 'warn', cost));
    else if (missing.length === 0) findings.push({ check, status: 'unknown', detail: blind });
    else findings.push(verdict(check, missing, 'warn', `${cost}; ${blind}`));
  }
  return findings;
}

/** As a question for the right to the command itself. */
function byCommand([, command, ...args]: Trial): Trial {
  return [`+${command.toLowerCase()}`, command, ...args];
}

function kindsOf(name: string, prefixes: Prefixes): readonly Kind[] {
  const readWrite = readWriteKeys(name, prefixes);
  const semaphore = semaphoreKeys(name, prefixes);
  const countdown = latch.latchKeys(name, prefixes);
  return [
    {
      check: 'read-write locks',
      keys: [readWrite.writers, readWrite.readers, readWrite.fresh],
      channel: readWrite.releaseChannel,
      calls: (key) => [['+hrandfield', 'HRANDFIELD', key]],
    },
    {
      check: 'semaphores',
      keys: [semaphore.permits, semaphore.queue, semaphore.fresh, semaphore.timeouts],
      channel: semaphore.releaseChannel,
      calls: (key) => [
        ['+get', 'GET', key],
        // What is no number is refused, and makes nothing.
        ['+incrby', 'INCRBY', key, 'none'],
        ['+decrby', 'DECRBY', key, 'none'],
        ['+persist', 'PERSIST', key],
        ['+hkeys', 'HKEYS', key],
        ['+zcount', 'ZCOUNT', key, '0', '0'],
      ],
      partly: {
        '+hkeys':
          'permits are taken and given back, and none can be set where there are none (the option permits, trySetPermits, setPermits, addPermits)',
        '+zcount':
          'where Java has permits of RPermitExpirableSemaphore, they cannot be counted (inspect, availablePermits, acquiredPermits, getPermits, drainPermits)',
      },
    },
    {
      check: 'latches',
      keys: [countdown.round],
      channel: countdown.channel,
      calls: (key) => [['+get', 'GET', key]],
    },
    {
      check: 'elections',
      keys: [lockKeys(name, prefixes).tokenCounter],
      channel: election.electionChannel(name, prefixes),
      calls: () => [],
    },
  ];
}
