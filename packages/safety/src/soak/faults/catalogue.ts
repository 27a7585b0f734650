import type { FaultProxy } from '@holdfast/testkit';
import type { Redis } from 'ioredis';
import type { Fault, Victim } from './fault.js';

type Role = 'commands' | 'messages';

/** Ids of the connections of one process that are subscribed, or that are not. */
async function connectionsOf(admin: Redis, { connectionName }: Victim, role: Role): Promise<string[]> {
  const lines = String(await admin.client('LIST')).split('\n');
  const own = lines.filter((line) => line.includes(` name=${connectionName} `));
  const wanted = own.filter((line) => / sub=0 /.test(line) === (role === 'commands'));
  return wanted.flatMap((line) => /\bid=(\d+)/.exec(line)?.[1] ?? []);
}

const kill = (role: Role): Fault => ({
  name: `connection for ${role} killed by the server`,
  longestMs: 0,
  begin: async (victim, { admin }) => {
    const ids = await connectionsOf(admin, victim, role);
    await Promise.all(ids.map((id) => admin.client('KILL', 'ID', id)));
  },
});

const atOnce = (name: string, disturb: (proxy: FaultProxy) => void): Fault => ({
  name,
  longestMs: 0,
  begin: ({ proxy }) => disturb(proxy),
});

/** Nothing comes through, and what is connected stays so: at the end it goes on at once. */
const PARTITION_MS = 1_000;
/** Attempts to connect come 50, 150, 350 and 750 ms after the loss, so what keeps somebody away for this long does so for 750. */
const ABSENCE_MS = 600;

const forAWhile = (name: string, longestMs: number, disturb: (proxy: FaultProxy) => void): Fault => ({
  name,
  longestMs,
  begin: ({ proxy }) => disturb(proxy),
  end: async ({ proxy }) => {
    proxy.delay(0);
    await proxy.heal();
  },
});

/** The longest time for which one of them cuts somebody off. */
export const LONGEST_MS = PARTITION_MS;

/** All of them, equally likely. */
export const faults: readonly Fault[] = [
  kill('commands'),
  kill('messages'),
  atOnce('connections reset', (proxy) => proxy.reset()),
  atOnce('next answer lost, then reset', (proxy) => proxy.loseNextReply()),
  forAWhile('partition, delivered afterwards', PARTITION_MS, (proxy) => proxy.hold('both')),
  forAWhile('partition, nothing delivered', PARTITION_MS, (proxy) => proxy.drop('both')),
  forAWhile('commands do not arrive', PARTITION_MS, (proxy) => proxy.drop('up')),
  forAWhile('answers and messages do not arrive', PARTITION_MS, (proxy) => proxy.drop('down')),
  forAWhile('slow network', PARTITION_MS, (proxy) => proxy.delay(50)),
  forAWhile('reset, and new connections accepted and closed', ABSENCE_MS, (proxy) => {
    proxy.acceptThenClose();
    proxy.reset();
  }),
  forAWhile('reset, and new connections refused', ABSENCE_MS, (proxy) => {
    proxy.refuse();
    proxy.reset();
  }),
  {
    name: 'scripts flushed',
    longestMs: 0,
    begin: async (_victim, { admin }) => {
      await admin.script('FLUSH');
    },
  },
];
