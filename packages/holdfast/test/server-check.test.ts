/** What a server says of itself that is no good for locks, and what is none of that. */
import { expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { type GivenAs, givenAs, ServerCheck, type UnsafeSetting } from '../src/connection/server-check.js';

/** What is reported of a server that says `info`. */
async function reported(given: GivenAs, info: string): Promise<string[]> {
  const found: UnsafeSetting[] = [];
  await new ServerCheck(given, (setting) => found.push(setting)).look({ info: async () => info });
  return found.map(({ setting, value }) => `${setting} ${value}`);
}

const replica = 'run_id:one\r\nrole:slave\r\n';
const sentinels = [{ host: 'localhost', port: 1 }];
const node = (options: object) =>
  ({ kind: 'node', redis: new Redis({ lazyConnect: true, ...options }), ownership: 'ours' }) as const;
const cluster = () =>
  ({ kind: 'cluster', template: new Cluster([{ host: 'localhost', port: 1 }], { lazyConnect: true }) }) as const;

it.each([
  ['in a Cluster', cluster, []],
  ['behind Sentinel', () => node({ sentinels, name: 'one' }), []],
  [
    'behind Sentinel, where the options ask for a replica,',
    () => node({ sentinels, name: 'one', role: 'slave' }),
    ['role slave'],
  ],
  ['that was given alone', () => node({}), ['role slave']],
])('a replica %s is told of only where no failover leads away from it', async (_where, open, told) => {
  expect(await reported(givenAs(open()), replica)).toEqual(told);
});

it.each([
  ['role:master', 'master'],
  ['role:slave\r\nslave_read_only:1', 'replica'],
  ['role:slave\r\nslave_read_only:0', 'master'],
  ['role:active-replica\r\nslave_read_only:0', 'master'],
  ['', 'master'],
])('a server that says %j is taken for a %s: who takes writes takes locks', async (said, role) => {
  const check = new ServerCheck('found', () => undefined);
  expect(await check.look({ info: async () => `run_id:one\r\n${said}\r\n` })).toEqual({ run: 'one', role });
});

it.each([
  ['slave_read_only:1', ['role slave']],
  ['slave_read_only:0', []],
])('a replica that was given alone and says %j is told of unless it takes writes', async (said, told) => {
  expect(await reported('node', `${replica}${said}\r\n`)).toEqual(told);
});

it.each(['node', 'found', 'cluster'] as const)(
  'a server that evicts is told of however it was given: %s',
  async (given) => {
    const info = 'run_id:one\r\nrole:master\r\nmaxmemory:1\r\nmaxmemory_policy:allkeys-lru\r\n';
    expect(await reported(given, info)).toEqual(['maxmemory-policy allkeys-lru']);
  },
);

it.each(['redis_mode', 'server_mode'])(
  'a node of a Cluster that was given alone is told of, by its %s',
  async (field) => {
    const info = `run_id:one\r\nrole:master\r\n${field}:cluster\r\n`;
    expect(await reported('node', info)).toEqual(['cluster-enabled yes']);
    expect(await reported('found', info)).toEqual([]);
  },
);
