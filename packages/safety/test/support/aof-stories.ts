/** What a server did, one transaction a line, commands separated by `;`. Times in milliseconds; the second is given before `|`. */
import type { Transaction } from '../../src/aof/parse.js';
import type { Flaw } from '../../src/aof/timeline.js';

export const transactions = (...lines: readonly string[]): Transaction[] =>
  lines.map((line) => {
    const [second = '0', commands = ''] = line.split('|');
    return {
      second: Number(second),
      isBase: false,
      commands: commands.split(';').map((command) => command.trim().split(' ')),
    };
  });

const grantA = '1|HSET x a:1 1 seq 1; PEXPIREAT x 31000';
const queueB =
  '1|ZADD holdfast_queue:{x} NX 1500 b:1; PEXPIREAT holdfast_queue:{x} 9000; HSET holdfast_fresh:{x} b:1 9000 30000; PEXPIREAT holdfast_fresh:{x} 9000';
const queueC =
  '1|ZADD holdfast_queue:{x} NX 1600 c:1; PEXPIREAT holdfast_queue:{x} 9000; HSET holdfast_fresh:{x} c:1 9000 30000; PEXPIREAT holdfast_fresh:{x} 9000';
const nestA = '2|HSET x a:1 2 seq 2';
const unnestA = '2|HSET x a:1 1 seq 3';
const passToB =
  '3|DEL x; ZPOPMIN holdfast_queue:{x}; HDEL holdfast_fresh:{x} b:1; HSET x b:1 1 seq 1; PEXPIREAT x 6000';
const claimB = '4|PEXPIREAT x 34000';
const releaseB = '5|DEL x';
const buryB = '5|DEL x; SET holdfast_dead:{x}:b:1 1 PXAT 60000';

export const goodAof: readonly string[] = [
  grantA,
  queueB,
  queueC,
  nestA,
  unnestA,
  passToB,
  claimB,
  '5|DEL x; ZPOPMIN holdfast_queue:{x}; HDEL holdfast_fresh:{x} c:1; HSET x c:1 1 seq 1; PEXPIREAT x 8000',
  '6|DEL x',
];

/** Each made from a good one by one change. */
export const brokenAofs: readonly {
  readonly name: string;
  readonly rule: Flaw['rule'];
  readonly lines: readonly string[];
}[] = [
  {
    name: 'a second owner beside the first',
    rule: 'aof-two-owners',
    lines: [grantA, '2|HSET x b:1 1 seq 1; PEXPIREAT x 31000'],
  },
  {
    name: 'a late ask takes the lock for a tenure that has ended',
    rule: 'aof-regrant',
    lines: [grantA, '2|DEL x', '3|HSET x a:1 1 seq 1; PEXPIREAT x 33000'],
  },
  {
    name: 'a tombstone is not heeded',
    rule: 'aof-regrant',
    lines: ['1|SET holdfast_dead:{x}:b:1 1 PXAT 60000', '2|HSET x b:1 1 seq 1; PEXPIREAT x 31000'],
  },
  {
    name: 'a tombstone of a named owner is not heeded',
    rule: 'aof-regrant',
    lines: ['1|SET holdfast_dead:{x}:job:b:1 1 PXAT 60000', '2|HSET x job:b:1 1 seq 1; PEXPIREAT x 31000'],
  },
  {
    name: 'a tenure owns again after its release with tombstone',
    rule: 'aof-regrant',
    lines: [grantA, queueB, passToB, buryB, '6|HSET x b:1 1 seq 1; PEXPIREAT x 36000'],
  },
  { name: 'a lock without TTL', rule: 'aof-no-ttl', lines: ['1|HSET x a:1 1 seq 1'] },
  {
    name: 'a lock that gets its TTL too late',
    rule: 'aof-no-ttl',
    lines: ['1|HSET x a:1 1 seq 1', '1|PEXPIREAT x 31000'],
  },
  { name: 'a queue without TTL', rule: 'aof-no-ttl', lines: [grantA, '1|ZADD holdfast_queue:{x} 1500 b:1'] },
  { name: 'a tombstone without TTL', rule: 'aof-no-ttl', lines: ['1|SET holdfast_dead:{x}:b:1 1'] },
  {
    name: 'a granted lock without TTL',
    rule: 'aof-no-ttl',
    lines: [grantA, queueB, passToB.replace('; PEXPIREAT x 6000', '')],
  },
  {
    name: 'a copy of a nested acquisition counts again',
    rule: 'aof-count',
    lines: [grantA, nestA, '2|HSET x a:1 3 seq 2'],
  },
  { name: 'a count goes up by two', rule: 'aof-count', lines: [grantA, '2|HSET x a:1 3 seq 2'] },
  { name: 'a count of nothing', rule: 'aof-count', lines: [grantA, '2|HSET x a:1 0 seq 2'] },
  { name: 'an old operation comes late and counts', rule: 'aof-count', lines: [grantA, nestA, unnestA, nestA] },
  {
    name: 'a tenure begins with the count of another',
    rule: 'aof-count',
    lines: [grantA, '2|DEL x', '2|HSET x b:1 2 seq 1; PEXPIREAT x 31000'],
  },
  {
    name: 'a newcomer overtakes the line',
    rule: 'aof-order',
    lines: [grantA, queueB, '31|DEL x', '31|HSET x d:1 1 seq 1; PEXPIREAT x 61000'],
  },
  {
    name: 'the second in line is served first',
    rule: 'aof-order',
    lines: [grantA, queueB, queueC, '3|DEL x; ZREM holdfast_queue:{x} c:1; HSET x c:1 1 seq 1; PEXPIREAT x 6000'],
  },
  {
    name: 'the lock is passed on and the line stays as it was',
    rule: 'aof-order',
    lines: [grantA, queueB, queueC, releaseB, '3|HSET x c:1 1 seq 1; PEXPIREAT x 6000'],
  },
];
