import { describe, expect, it } from '@jest/globals';
import type { RedisServer } from '../src/index.js';
import { parseClusterNodes } from '../src/topology/cluster-view.js';
import { Elections } from '../src/topology/elections.js';

/** CLUSTER NODES where this one is master of all slots, and the other its replica. */
function viewOf(master: number, replica: number) {
  return parseClusterNodes(
    `a 127.0.0.1:${master}@${master + 10_000} master - 0 0 7 connected 0-16383\n` +
      `b 127.0.0.1:${replica}@${replica + 10_000} slave a 0 0 7 connected\n`,
  );
}

function watched({ nodeTimeoutMs }: { nodeTimeoutMs: number }) {
  const time = { ms: 100_000 };
  const elections = new Elections(
    [1],
    async () => nodeTimeoutMs,
    () => time.ms,
  );
  return { time, elections };
}

const server = (port: number) => ({ port }) as RedisServer;
const portsOf = (servers: readonly RedisServer[]) => servers.map(({ port }) => port);

describe('elections of a cluster', () => {
  it('a master that was one from the beginning was not elected', async () => {
    const { elections } = watched({ nodeTimeoutMs: 1_000 });
    elections.see(viewOf(1, 2));
    expect(await elections.oldVotes()).toEqual([]);
  });

  it('the votes for one that is master now are no danger', async () => {
    const { elections } = watched({ nodeTimeoutMs: 1_000 });
    elections.see(viewOf(2, 1));
    expect(await elections.oldVotes()).toEqual([]);
  });

  it.each([
    [100, 2_000],
    [1_000, 2_000],
    [3_000, 6_000],
  ])(
    'with a node timeout of %d ms, those for one that is a replica again are, until %d ms after its election',
    async (nodeTimeoutMs, votesMs) => {
      const { time, elections } = watched({ nodeTimeoutMs });
      elections.see(viewOf(2, 1));
      time.ms += 10;
      elections.see(viewOf(1, 2));
      expect(await elections.oldVotes()).toEqual(['2 won an election 10 ms ago, whose votes count']);
      time.ms += votesMs - 10;
      expect(await elections.oldVotes()).toHaveLength(1);
      time.ms += 1;
      expect(await elections.oldVotes()).toEqual([]);
    },
  );

  it('a replica that was elected holds no other election for twice that time', async () => {
    const { time, elections } = watched({ nodeTimeoutMs: 1_000 });
    elections.see(viewOf(2, 1));
    elections.see(viewOf(1, 2));
    time.ms += 4_000;
    expect(portsOf(await elections.rested([server(2), server(3)]))).toEqual([3]);
    time.ms += 1;
    expect(portsOf(await elections.rested([server(2), server(3)]))).toEqual([2, 3]);
  });
});
