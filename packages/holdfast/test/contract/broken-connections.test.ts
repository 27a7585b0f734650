import { seededRandom, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { byUrl, openProxy, ownDefault } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';

const kit = useRedis();

describe('connections that break at random', () => {
  const depths = [1, 2, 3];

  it('never let two in, never leave a lock stuck, and every count right, for 12 clients nesting on 3 locks', async () => {
    const seed = 20_261_120;
    const random = seededRandom(seed);
    const proxy = await openProxy(kit);
    const names = [freshName(), freshName(), freshName()];
    const inside = new Map(names.map((name) => [name, 0]));
    const faults: unknown[] = [];
    let sections = 0;
    let ending = false;

    const nest = async (client: LockClient, name: string, depth: number, level = 1): Promise<void> => {
      await client.getLock(name).withLock(async (hold) => {
        if (level === 1) inside.set(name, (inside.get(name) ?? 0) + 1);
        if (inside.get(name) !== 1) faults.push(`${inside.get(name)} inside at once`);
        const count = await holdsInRedis(kit, name);
        if (count !== level) faults.push(`hold count ${count} at level ${level}`);
        if (level < depth) await nest(client, name, depth, level + 1);
        else await turns(2);
        hold.assertHeld();
        if (level === 1) inside.set(name, (inside.get(name) ?? 0) - 1);
      });
    };
    const worker = async (index: number): Promise<void> => {
      const client = openClient(kit, { redis: (index % 2 === 0 ? byUrl : ownDefault).open(kit, proxy) });
      client.on('lost', ({ error }) => faults.push(error));
      while (!ending) {
        await nest(client, random.pick(names), random.pick(depths)).catch((error: unknown) => faults.push(error));
        sections++;
      }
    };
    const breakSomething = async (): Promise<void> => {
      const kind = random.pick(['kill', 'reset', 'lose', 'lose']);
      if (kind === 'reset') proxy.reset();
      if (kind === 'lose') proxy.loseNextReply();
      if (kind === 'kill') {
        const clients = String(await kit.admin.client('LIST')).split('\n');
        const ids = clients
          .filter((line) => !line.includes('name=holdfast-testkit'))
          .map((line) => /id=(\d+)/.exec(line)?.[1]);
        await kit.admin.client('KILL', 'ID', random.pick(ids.filter((id) => id !== undefined)));
      }
    };

    const workers = Array.from({ length: 12 }, (_, index) => worker(index));
    kit.cleanup(() => {
      ending = true;
    });
    for (let broken = 0; broken < 25 && faults.length === 0; broken++) {
      const seen = sections;
      await waitUntil(() => sections >= seen + 3 || faults.length > 0, { what: 'three more sections' });
      await breakSomething();
    }
    ending = true;
    await Promise.all(workers);
    expect({ seed, faults }).toEqual({ seed, faults: [] });
    for (const name of names) {
      await waitUntil(async () => (await kit.admin.exists(name, `holdfast_queue:{${name}}`)) === 0, { what: 'free' });
    }
  });
});
