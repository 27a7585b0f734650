import { describe, expect, it } from '@jest/globals';
import { report } from './figures.js';
import { isLong } from './length.js';
import { freshName, type Site } from './site.js';

/** Node does not hear the releases of Java's fair lock: then it looks when the lease that it was told has passed. */
const watchdogTimeoutMs = 1_000;

/** The other kinds of locks, each with its like of the other side on one name. */
export function kindsUnderLoad(site: () => Site): void {
  if (!isLong) return;
  // In Node's order: Java takes them in the order in which they are named, and in another one each side holds what the other waits for.
  const members = () => site().client().getMultiLock([freshName(), freshName()]).names.join(',');

  describe('exclusion of each kind under load', () => {
    it.each(['fenced', 'fair', 'spin', 'write', 'multi'] as const)(
      '%s locks lose no update',
      async (kind) => {
        const name = kind === 'multi' ? members() : freshName();
        const counter = `counter-${freshName()}`;
        const count = async () => Number(await site().onNodeOf(counter, (redis) => redis.get(counter)));
        await site().onNodeOf(counter, (redis) => redis.set(counter, 0));
        const java = await site().startJava({ watchdogTimeoutMs });
        const settings = { watchdogTimeoutMs, reaskMs: 100, claimLeaseMs: 1_000 };
        const nodes = await Promise.all([site().startNode(settings), site().startNode(settings)]);
        const startedAt = performance.now();
        const loops = [
          java.call<number>('loop', { name, kind, counter, threads: 4, sections: 50 }),
          ...nodes.map((node) => node.call('loop', name, counter, 3, 100, kind)),
        ];
        const others = Promise.race(loops).then(async (own) => (await count()) - own);
        const sections = (await Promise.all(loops)).reduce((sum, run) => sum + run, 0);
        const tookMs = performance.now() - startedAt;
        expect(sections).toBe(4 * 50 + 2 * 3 * 100);
        expect(await count()).toBe(sections);
        // Where nobody promises anybody a turn, one process may have had all of its own before the next one came in.
        expect(await others).toBeGreaterThanOrEqual(kind === 'spin' || kind === 'write' ? 0 : 1);
        await site().onNodeOf(counter, (redis) => redis.del(counter));
        if (kind === 'fenced') await site().forgetTokens(name);
        report({
          where: site().where,
          what: `${kind} locks, read-modify-write by 4 Java threads and 6 Node tasks`,
          value: `${sections} of ${sections} updates, ${(tookMs / sections).toFixed(1)} ms each`,
        });
      },
      120_000,
    );
  });
}
