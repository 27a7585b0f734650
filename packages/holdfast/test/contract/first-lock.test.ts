/** What a process waits for before it has its first lock, and what comes behind that. Counted as the server sees it, in its order. */

import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { RLock } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { loadScripts } from '../support/scripts.js';

const kit = useRedis(startPrivateRedis);

interface Seen {
  readonly from: string;
  readonly command: string;
}

/** What new connections send from now on. That of scripts is left out, and so is the question by which a test knows that all was seen. */
async function watch(): Promise<() => Promise<readonly Seen[]>> {
  const { admin } = kit;
  const there = new Set(
    [...String(await admin.client('LIST')).matchAll(/\baddr=(\S+)/g)].map(([, address]) => address),
  );
  const monitor = await admin.monitor();
  kit.cleanup(() => monitor.disconnect());
  const seen: Seen[] = [];
  let echoes = 0;
  monitor.on('monitor', (_time: string, [command = '', said = '']: string[], from: string) => {
    if (command.toLowerCase() === 'echo' && said === 'seen') echoes++;
    else if (from !== 'lua' && !there.has(from)) seen.push({ from, command: command.toLowerCase() });
  });
  return async () => {
    const awaited = echoes + 1;
    await admin.echo('seen');
    await waitUntil(() => echoes >= awaited, { what: 'all has been seen' });
    return [...seen];
  };
}

/** What ioredis says on a connection before it lets anybody use it. */
async function handshake(): Promise<readonly string[]> {
  const seen = await watch();
  const redis = new Redis(kit.server.url);
  kit.cleanup(() => redis.disconnect());
  await redis.ping();
  const commands = (await seen()).map(({ command }) => command);
  return commands.slice(0, commands.indexOf('ping'));
}

describe('the first lock of a process', () => {
  it.each<[string, (lock: RLock) => Promise<unknown>]>([
    ['acquire', (lock) => lock.acquire()],
    ['withLock', (lock) => lock.withLock(() => undefined)],
  ])('is had by %s after one handshake and one command; its server is looked at behind the answer', async (_, take) => {
    await loadScripts(kit);
    const greeting = await handshake();
    const seen = await watch();
    const client = openClient(kit);
    await take(client.getLock(freshName()));
    // Behind the handshake, INFO is what the look at the server asks.
    const sent = async () => {
      const all = await seen();
      const from = all.find(({ command }) => command === 'evalsha')?.from;
      return all.filter((one) => one.from === from).map(({ command }) => command);
    };
    const looked = async () => (await sent()).slice(greeting.length).includes('info');
    await waitUntil(looked, { what: 'the look at the server' });
    expect((await sent()).slice(0, greeting.length + 1)).toEqual([...greeting, 'evalsha']);
  });
});
