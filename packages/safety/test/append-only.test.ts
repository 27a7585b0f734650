import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { readAof } from '../src/aof/parse.js';
import { clusterSite } from '../src/site/cluster.js';
import { sentinelSite } from '../src/site/sentinel.js';
import { singleSite } from '../src/site/single.js';
import type { Site } from '../src/site/site.js';

/** Servers that find each other on a machine that is busy elsewhere. */
const PATIENCE_MS = 120_000;

/** What each file tells of SETs. */
function told(folder: string, { appendOnly }: Site) {
  return appendOnly.map((_, number) =>
    [...readAof(join(folder, String(number)))].flatMap(({ commands, isBase }) =>
      commands.flatMap(([name, key = '']) => (name === 'SET' ? [{ key, isBase }] : [])),
    ),
  );
}

/** So many keys have arrived at the servers, replicas counted. */
async function kept({ nodes }: Site, keys: number): Promise<void> {
  const isThere = async () => {
    const sizes = await Promise.all(nodes.map(async (node) => (await node.admin()).dbsize()));
    return sizes.reduce((sum, size) => sum + size, 0) === keys;
  };
  await waitUntil(isThere, { what: `${keys} keys` });
}

const expected = [
  { key: '{x}before', isBase: true },
  { key: '{x}after', isBase: false },
];

it.each([
  ['a single server', () => singleSite(undefined), 1],
  ['Sentinel, the replicas too,', sentinelSite, 3],
  ['a Cluster, the replica too,', clusterSite, 2],
] as const)(
  'the append-only files of %s tell what was done since they were begun, and what there was as a state',
  async (_, open, files) => {
    const site = await open();
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-append-only-'));
    try {
      const redis = site.connect();
      await redis.set('{x}before', '1', 'PX', 60_000);
      await kept(site, files);
      await Promise.all(site.appendOnly.map((file) => file.begin()));
      await redis.set('{x}after', '1', 'PX', 60_000);
      await kept(site, 2 * files);
      redis.disconnect();
      await Promise.all(site.appendOnly.map((file, number) => file.copyTo(join(folder, String(number)))));
      const all = told(folder, site).filter((keys) => keys.length > 0);
      expect(all).toEqual(Array.from({ length: files }, () => expected));
    } finally {
      await site.stop();
      rmSync(folder, { recursive: true });
    }
  },
  PATIENCE_MS,
);
