// One of several processes of which one is to be in charge. Started by main.ts: candidate.ts <name> <id>
import { once } from 'node:events';
import { createLockClient } from 'holdfast';

const [name = '', id = ''] = process.argv.slice(2);
// Short, for a demo: the next one leads so long after the last sign of life of a leader that has died.
const locks = createLockClient({ redis: process.env['REDIS_URL'] ?? '', watchdogTimeoutMs: 2_000 });
const toldToResign = once(process, 'message');

await locks.election(name).campaign({ id }, async ({ token, signal }) => {
  process.send?.({ leads: id, token });
  // Its work would be here. It ends when it is told to, or when the leadership is lost.
  await Promise.race([toldToResign, once(signal, 'abort')]);
});
await locks.close();
process.disconnect();
