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
  it('names the master that it looked at', async () => {
    const { host, port, url } = await kit.sentinel.master();
    const sentinels = kit.sentinel.sentinels.flatMap((at) => ['--sentinel', `${at.host}:${at.port}`]);
    const server = { server: { url }, cleanup: kit.cleanup } as unknown as RedisKit;
    const call = ['doctor', ...sentinels, '--master', kit.sentinel.name, '--json'];
    const { json } = await holdfast(server, call, { env: { REDIS_URL: '' } });
    const [{ findings }] = json as [{ findings: { check: string; node?: string }[] }];
    const nodes = new Set(findings.flatMap(({ node }) => node ?? []));
    expect([...nodes]).toEqual([`${host}:${port}`]);
  });
});
