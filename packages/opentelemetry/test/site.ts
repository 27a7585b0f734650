import { randomUUID } from 'node:crypto';
import type { useRedis } from '@holdfast/testkit';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider } from '@opentelemetry/sdk-metrics';
import { PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Attributes } from '@opentelemetry/api';
import { createLockClient, type LockClientOptions } from 'holdfast';

type Kit = ReturnType<typeof useRedis>;

/** A client, with a lock in a group of its own. */
export function openClient(kit: Kit, options: Partial<LockClientOptions> = {}) {
  const client = createLockClient({ redis: kit.server.url, ...options });
  kit.cleanup(() => client.close());
  const group = `kind-${randomUUID()}`;
  return { client, group, lock: client.getLock(`${group}:1`) };
}

/** As an application has it. */
export const kindOf = (name: string) => name.split(':', 1)[0];

/** The SDK, whose exporter keeps what it is given. */
export function openMetrics(kit: Kit) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 60_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  kit.cleanup(() => meterProvider.shutdown());
  return {
    meterProvider,
    /** All that was measured of locks of `group`, by the names of metrics; counters that are at 0 are left out. Values of histograms are their counts. */
    async of(group: string | undefined) {
      exporter.reset();
      await meterProvider.forceFlush();
      const found: Record<string, { value: number; attributes: Attributes }[]> = {};
      for (const { descriptor, dataPoints, ...kind } of exporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? []) {
        const isCounter = 'isMonotonic' in kind && kind.isMonotonic;
        for (const { value, attributes } of dataPoints) {
          if (isCounter && value === 0) continue;
          const { 'holdfast.lock.group': of, ...more } = attributes;
          if (of !== group) continue;
          const count = typeof value === 'number' ? value : value.count;
          (found[descriptor.name] ??= []).push({ value: count, attributes: more });
        }
      }
      return found;
    },
    /** The metrics as they were exported last. */
    exported: () => exporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? [],
  };
}

/** Likewise for spans. */
export function openSpans(kit: Kit) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  kit.cleanup(() => tracerProvider.shutdown());
  return { tracerProvider, spans: () => exporter.getFinishedSpans() };
}
