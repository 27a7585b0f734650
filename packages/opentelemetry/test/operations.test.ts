import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Histogram } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { instruments } from '../src/instruments.js';

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

describe('the readme', () => {
  it('lists each metric', async () => {
    const exported = [...(await exposition()).matchAll(/^# HELP (holdfast_\w+)/gm)].map(([, name = '']) => name);
    const listed = [...readme.matchAll(/^\| `(holdfast\.[\w.]+)` \| (?:histogram)?/gm)].map(([, name = '']) => name);
    const plain = (name: string) => name.replaceAll('.', '_').replace(/_total$/, '');
    expect(listed.map(plain).sort()).toEqual(exported.map(plain).sort());
  });
});
