import { afterAll, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { startPrivateRedis, waitUntil } from '@holdfast/testkit';
import { ServerClock } from '../src/site/server-clock.js';

const clock = ServerClock.make({ file: fileURLToPath(new URL('../src/site/clock-shim.c', import.meta.url)) });
afterAll(() => clock?.remove());

// Without a compiler there is no such clock, and the campaign leaves these faults out.
(clock === undefined ? it.skip : it)(
  "a server's wall clock that is set forwards ends leases early, one that is set back prolongs them",
  async () => {
    if (clock === undefined) return;
    const server = await startPrivateRedis({ serverEnv: clock.serverEnv });
    try {
      const admin = await server.admin();
      await admin.set('lease', 'x', 'PX', 10_000);
      clock.set(-60_000);
      expect(await admin.pttl('lease')).toBeGreaterThan(60_000);
      clock.set(60_000);
      await waitUntil(async () => (await admin.exists('lease')) === 0, { what: 'the lease to end' });
      expect(clock.offsetMs).toBe(60_000);
    } finally {
      await server.stop();
    }
  },
);
