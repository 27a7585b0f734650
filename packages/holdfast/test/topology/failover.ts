import { expect, it } from '@jest/globals';
import { type RedisServer, waitUntil } from '@holdfast/testkit';
import { freshName } from '../support/clients.js';
import { type TopologyKit, whenQueued } from '../support/topologies.js';
import { Load } from './load.js';

/** A way to take a lock's server away. */
export interface Fault {
  readonly title: string;
  /** Whether what the old server had acknowledged may be missing on the new one. */
  readonly mayForget: boolean;
  /** Resolves when another server has taken over, with what makes all well again. */
  strike(name: string): Promise<() => Promise<void>>;
}

/**
 * Takes a server away. Answers how it comes back, which it does at the end of the test at the latest: the next one may need it, or take away the replica that
 * has taken over.
 */
export async function take(
  kit: Pick<TopologyKit, 'cleanup'>,
  server: RedisServer,
  fault: 'kill' | 'stopProcess',
  end: 'restart' | 'continueProcess',
): Promise<() => Promise<void>> {
  let isAway = true;
  const back = async () => {
    if (!isAway) return;
    isAway = false;
    await server[end]();
  };
  kit.cleanup(back);
  await server[fault]();
  return back;
}

/** What a failover must look like from inside. */
export function itSurvives(kit: TopologyKit, fault: Fault, nameBeside: (name: string) => Promise<string>): void {
  it(`${fault.title}: a replicated hold goes on, its waiter is served, calls end in time, nobody overlaps untold`, async () => {
    const [holder, waiter] = [kit.open({ watchdogTimeoutMs: 30_000 }), kit.open()];
    const name = freshName();
    const beside = [await nameBeside(name), await nameBeside(name)];
    const load = new Load([kit.open(), kit.open()], beside);
    kit.cleanup(() => load.stop());
    await load.serves(beside, 3);
    const hold = await holder.getLock(name).acquire();
    const waiting = waiter.getLock(name).acquire({ waitMs: 60_000 });
    await whenQueued(holder, name, 1);
    await kit.replicated(name);

    const mend = await fault.strike(name);
    await load.serves(beside, 3);
    await load.stop();
    expect(load.strange).toEqual([]);
    expect(load.late).toEqual([]);
    if (!fault.mayForget) expect(load.overlaps).toEqual([]);
    for (const { earlier } of load.overlaps) expect(earlier.state).toBe('lost');

    await waitUntil(async () => (await holder.inspect(name)).owner?.kind === 'this-client', {
      what: 'the new server to be asked',
    });
    await waitUntil(() => hold.state === 'held', { what: 'the hold to be verified', timeoutMs: 20_000 });
    await hold.release();
    await (await waiting).release();
    expect(holder.stats().losses).toEqual({});
    await mend();
  }, 180_000);
}
