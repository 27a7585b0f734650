import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { byUrl, encounter, yourClient } from '../support/hostile-clients.js';
import type { Hostility } from '../support/hostile-server.js';
import { failureOf } from '../support/outcomes.js';
import { array, bulk, number } from '../support/resp.js';

/** No Redis gives such answers: a proxy, or a client library with a bug, hands over the answer to a command that is no script. */
const kit = useRedis();

const unnamed: [title: string, frame: string][] = [
  ['of INFO', bulk('redis_version:7.0.0\r\nrole:master\r\n')],
  ['of SELECT', '+OK\r\n'],
  ['of WAIT', number(1)],
  ['of no command', array(bulk('acquired'), number(1), number(1), number(30_000), number(0), bulk(''), bulk('-'))],
  ['of GET', '$-1\r\n'],
];

const patient = { attemptTimeoutMs: 10_000, responseTimeoutMs: 20_000 } satisfies Partial<LockClientOptions>;

/** Answers like that for `times` questions, and counts the connections on which it did. */
function saying(frame: string, times: number): { hostility: Hostility; connections: Set<unknown>; said: () => number } {
  const connections = new Set<unknown>();
  let said = 0;
  return {
    connections,
    said: () => said,
    hostility: (socket, question) => {
      if (said < times) {
        said++;
        connections.add(socket);
        socket.write(frame);
      } else {
        socket.write(
          array(bulk('acquired'), number(1), number(1), number(30_000), number(0), bulk(''), bulk('-'), bulk(question)),
        );
      }
    },
  };
}

describe('an answer that names no question', () => {
  it.each(unnamed)('%s: the connection is replaced, and the call gets its lock on the next one', async (_, frame) => {
    const { server, client, end } = await encounter(kit, byUrl, patient);
    const told: string[] = [];
    client.on('error', (error) => told.push((error as Error).message));
    const { hostility, connections, said } = saying(frame, 1);
    server.hostileTo(['ask'], hostility);
    const before = server.accepted;
    await client.getLock('lock').acquire();
    expect(said()).toBe(1);
    expect(connections.size).toBe(1);
    expect(server.accepted).toBeGreaterThan(before);
    expect(told.filter((message) => message.includes('which question it answers'))).not.toEqual([]);
    expect(await end()).toEqual([]);
  });

  it.each(unnamed)('%s, which repeats on the next connection: the call is refused', async (_, frame) => {
    const { server, client, end } = await encounter(kit, byUrl, patient);
    const { hostility, connections } = saying(frame, Number.POSITIVE_INFINITY);
    server.hostileTo(['ask'], hostility);
    expect(await failureOf(client.getLock('lock').acquire())).toMatchObject({
      code: 'LOCK_REFUSED',
      redisCode: 'PROTOCOL',
    });
    expect(connections.size).toBe(2);
    expect(await end()).toEqual([]);
  });

  it('comes again much later: the connection is replaced again, and the call gets its lock', async () => {
    const { server, client, end } = await encounter(kit, byUrl, patient);
    const [[, frame] = ['', '']] = unnamed;
    for (let round = 0; round < 2; round++) {
      const { hostility, said } = saying(frame, 1);
      server.hostileTo(['ask'], hostility);
      await client.getLock(`lock ${round}`).withLock(() => undefined);
      expect(said()).toBe(1);
    }
    expect(await end()).toEqual([]);
  });

  it('on a client of yours, which is not ours to replace: the call is refused', async () => {
    const { server, client, end } = await encounter(kit, yourClient, patient);
    const [[, frame] = ['', '']] = unnamed;
    const { hostility } = saying(frame, 1);
    server.hostileTo(['ask'], hostility);
    expect(await failureOf(client.getLock('lock').acquire())).toMatchObject({
      code: 'LOCK_REFUSED',
      redisCode: 'PROTOCOL',
    });
    await waitUntil(() => server.asked('cancel') > 0, { what: 'what the ask may have done to be undone' });
    expect(await end()).toEqual([]);
  });
});
