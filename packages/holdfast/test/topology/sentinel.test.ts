import type { RedisKit } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { holdfast } from '../cli/terminal.js';
import { useSentinel } from '../support/topologies.js';
import { itServesEveryDay } from './everyday.js';

const kit = useSentinel();

describe('behind Sentinel', () => {
  itServesEveryDay(kit);
});

describe('the doctor behind Sentinel', () => {
  it('names the master that it looked at, and the replicas whose clocks it compares with its', async () => {
    const { host, port, url } = await kit.sentinel.master();
    const sentinels = kit.sentinel.sentinels.flatMap((at) => ['--sentinel', `${at.host}:${at.port}`]);
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    const call = ['doctor', ...sentinels, '--master', kit.sentinel.name, '--json'];
    const { json } = await holdfast(server, call, { env: { REDIS_URL: '' } });
    const [{ findings }] = json as [{ findings: { check: string; node?: string }[] }];
    const named = (isClock: boolean) =>
      new Set(findings.flatMap(({ check, node }) => ((check === 'clock') === isClock ? (node ?? []) : [])));
    expect(named(false)).toEqual(new Set([`${host}:${port}`]));
    expect(named(true)).toEqual(new Set(kit.nodes.map((node) => `${node.host}:${node.port}`)));
  });
});
