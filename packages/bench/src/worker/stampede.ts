import { setTimeout } from 'node:timers/promises';
import { now } from '../measure/clock.js';
import { Histogram } from '../measure/histogram.js';
import type { PeerClient } from '../peers/peer.js';
import type { StampedeOrder, StampedeReport } from './messages.js';
import { watchResources } from './resources.js';

/** Many tasks of one process want one value at the same time, which takes a while to compute. */
export async function stampede(client: PeerClient, order: StampedeOrder): Promise<StampedeReport> {
  const { name, count, startAt, computeMs } = order;
  const wait = new Histogram();
  const failures: string[] = [];
  let computed = 0;
  let lastAt = startAt;
  const compute = () => {
    computed++;
    return setTimeout(computeMs);
  };
  const call = async (): Promise<void> => {
    try {
      await client.locker().run(name, compute);
      lastAt = now();
      wait.record((lastAt - startAt) * 1_000);
    } catch (error) {
      failures.push(String(error));
    }
  };
  await setTimeout(Math.max(0, startAt - now()));
  const resources = watchResources();
  await Promise.all(Array.from({ length: count }, call));
  return { computed, lastAfterMs: lastAt - startAt, wait: wait.buckets(), failures, resources: resources() };
}
