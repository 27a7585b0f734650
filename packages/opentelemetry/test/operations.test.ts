import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { measureLocks } from '@holdfast/opentelemetry';
import { describe, expect, it } from '@jest/globals';
import type { Histogram } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { type Histogram as HistogramValue, MeterProvider } from '@opentelemetry/sdk-metrics';
import { instruments } from '../src/instruments.js';
import { openClient, openMetrics } from './site.js';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const readme = read('packages/opentelemetry/README.md');
const pages = ['docs/operations/dashboard.json', 'docs/operations/alerts.yml'];

/** All metrics, as Prometheus is given them. */
async function exposition(): Promise<string> {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const all: object[] = Object.values(instruments(provider.getMeter('test')));
  for (const instrument of all) {
    if ('record' in instrument) (instrument as Histogram).record(1);
    else (instrument as { add(value: number): void }).add(1);
  }
  const { resourceMetrics } = await exporter.collect();
  await provider.shutdown();
  return new PrometheusSerializer().serialize(resourceMetrics);
}

/** Attributes that the readme lists, as labels. */
const labels = new Set(
  [...readme.matchAll(/`((?:holdfast|error)\.[\w.]+)`/g)].map(([, name = '']) => name.replaceAll('.', '_')),
);
const words = (page: string) => [...new Set(read(page).match(/\b(?:holdfast_|error_)\w+/g))];

describe.each(pages)('%s', (page) => {
  it('names metrics and attributes that there are, and none other', async () => {
    const series = new Set([...(await exposition()).matchAll(/^(\w+)(?:\{| )/gm)].map(([, name]) => name));
    const metrics = words(page).filter((word) => series.has(word));
    expect(metrics.length).toBeGreaterThan(8);
    expect(words(page).filter((word) => !series.has(word) && !labels.has(word))).toEqual([]);
  });

  it('asks of histograms only for bounds that they have, as Prometheus 2 and 3 write them', async () => {
    // From version 3 on a whole number has ".0".
    expect(read(page)).not.toMatch(/\ble="\d+"/);
    const bucketsIn = (text: string) =>
      [...text.matchAll(/(\w+_bucket)\{[^}\n]*\ble=~?"([\d.]+)(?:\(\\\\\.0\)\?)?"/g)].map(
        ([, metric, bound]) => `${metric} ${bound}`,
      );
    const there = new Set(bucketsIn(await exposition()));
    expect(there).toContain('holdfast_lease_slack_bucket 15');
    expect(bucketsIn(read(page)).filter((bucket) => !there.has(bucket))).toEqual([]);
  });
});

const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
const hasPromtool = promtool('--version').status === 0;
if (!hasPromtool)
  process.stderr.write(
    'no promtool: what the alert rules say of series is not tried (Debian: apt-get install prometheus)\n',
  );

describe('the alert rules', () => {
  it('tell of every way in which Redis does not do what it is asked wherever they tell of one', () => {
    const named = [...read('docs/operations/alerts.yml').matchAll(/error_type=~"([^"]*LOCK_UNAVAILABLE[^"]*)"/g)];
    expect(named.length).toBeGreaterThan(1);
    for (const [, codes = ''] of named)
      expect(codes.split('|').sort()).toEqual(['LOCK_NOT_REPLICATED', 'LOCK_REFUSED', 'LOCK_UNAVAILABLE']);
  });

  (hasPromtool ? it : it.skip)(
    'fire in outages for as long as they last, and in no other stories',
    () => {
      const stories = fileURLToPath(new URL('alerts.promtool.yml', import.meta.url));
      const { stdout, stderr } = promtool('test', 'rules', stories);
      expect(`${stdout}${stderr}`).toMatch(/^Unit Testing:.*\n {2}SUCCESS\n*$/);
    },
    180_000,
  );

  it('say which service it is, and add up no two', () => {
    const rules = read('docs/operations/alerts.yml').split('- alert: ').slice(1);
    expect(rules.length).toBeGreaterThan(10);
    for (const rule of rules) {
      expect(rule).toMatch(/summary: "\{\{ \$labels\.job \}\}: /);
      expect(rule.match(/\bsum\b(?! by \(job\b)/g)).toBeNull();
    }
  });

  it('remember for less long than they wait, so that one pause raises none of those that tell of what goes on', () => {
    const seconds = (time: string) => Number.parseInt(time, 10) * (time.endsWith('m') ? 60 : 1);
    const waiting = read('docs/operations/alerts.yml')
      .split('- alert: ')
      .filter((rule) => /^ +for: /m.test(rule));
    expect(waiting.length).toBeGreaterThan(6);
    for (const rule of waiting) {
      const [, wait = ''] = /^ +for: (\w+)/m.exec(rule) ?? [];
      const memory = [...rule.matchAll(/(?:(?:increase|rate)\([^[]*\[|offset )(\d+[ms])/g)];
      for (const [, time = ''] of memory) expect(`${rule} ${seconds(time) < seconds(wait)}`).toBe(`${rule} true`);
    }
  });

  it('take no counter for new that a failed scrape has hidden', () => {
    // A value at one moment is none where that scrape has failed.
    const momentary = /holdfast_\w+(?:\{[^}]*\})? offset /;
    expect(read('docs/operations/alerts.yml')).not.toMatch(momentary);
  });
});

describe('the alert on leases that are renewed late', () => {
  const kit = useRedis();
  const rule =
    /lease_slack_bucket\{le=~"(\d+).*?"\}\[5m\]\)\) \/ sum by \(job\) \(rate\(holdfast_lease_slack_count\[5m\]\)\) > ([\d.]+)/;

  /** What its expression says of all that was measured. */
  const watch = () => {
    const metrics = openMetrics(kit);
    const measuring = measureLocks({ meterProvider: metrics.meterProvider });
    kit.cleanup(() => measuring.stop());
    const [, bound, share] = (rule.exec(read('docs/operations/alerts.yml')) ?? []).map(Number);
    return async () => {
      await metrics.of('none');
      const slack = metrics.exported().find(({ descriptor }) => descriptor.name === 'holdfast.lease.slack');
      const [measured] = slack?.dataPoints ?? [];
      if (measured === undefined) return { count: 0, fires: false };
      const { count, buckets } = measured.value as HistogramValue;
      const low = buckets.counts.slice(0, buckets.boundaries.indexOf(bound as number) + 1);
      return { count, fires: low.reduce((sum, some) => sum + some) / count > (share as number) };
    };
  };
  /** The exporter waits for timers, also at its end. */
  const watchDriven = () => {
    const time = driveTime(kit);
    const judged = watch();
    kit.cleanup(() => time.flow());
    return {
      time,
      judged: () => {
        time.flow();
        return judged();
      },
    };
  };

  it('is silent where locks change hands', async () => {
    const judged = watch();
    const { client, lock } = openClient(kit);
    const before = await openClient(kit).client.getLock(lock.name).acquire();
    // A lock that an ask finds handed over is no claim any more.
    await client.connect();
    const waiting = lock.acquire();
    await waitUntil(async () => (await client.inspect(lock.name)).queue.length === 1, { what: 'a call that waits' });
    await before.release();
    const hold = await waiting;
    expect(client.stats().handoffs.granted).toBe(1);
    await waitUntil(() => client.stats().renewals.renewed === 1, { what: 'the claim is raised' });
    expect(await judged()).toEqual({ count: 0, fires: false });
    await hold.release();
  });

  it('is silent where leases are fixed, and others renewed in time', async () => {
    const { time, judged } = watchDriven();
    const { client, lock } = openClient(kit);
    const [watched, fixed] = [
      await lock.acquire(),
      await client.getLock(`${lock.name}:2`).acquire({ leaseMs: 20_000 }),
    ];
    // Whatever the clock of Redis says: there is something to prolong.
    await kit.admin.pexpire(lock.name, 20_000);
    await time.advance(7_000);
    await waitUntil(() => client.stats().renewals.held === 1, { what: 'a look at the fixed lease' });
    await time.advance(3_000);
    await waitUntil(() => client.stats().renewals.renewed === 1, { what: 'a renewal' });
    expect(await judged()).toEqual({ count: 1, fires: false });
    for (const hold of [watched, fixed]) await hold.release();
  });

  it('fires where they are renewed late', async () => {
    const { time, judged } = watchDriven();
    const { client, lock } = openClient(kit);
    const hold = await lock.acquire();
    await kit.admin.pexpire(lock.name, 20_000);
    // The event loop stands still.
    time.jump(18_000);
    await time.advance(0);
    await waitUntil(() => client.stats().renewals.renewed === 1, { what: 'a renewal' });
    expect(await judged()).toEqual({ count: 1, fires: true });
    await hold.release();
  });
});

describe('the readme', () => {
  it('lists each metric', async () => {
    const exported = [...(await exposition()).matchAll(/^# HELP (holdfast_\w+)/gm)].map(([, name = '']) => name);
    const listed = [...readme.matchAll(/^\| `(holdfast\.[\w.]+)` \| (?:histogram)?/gm)].map(([, name = '']) => name);
    const plain = (name: string) => name.replaceAll('.', '_').replace(/_total$/, '');
    expect(listed.map(plain).sort()).toEqual(exported.map(plain).sort());
  });
});
