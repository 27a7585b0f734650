import type { StartReport } from '../fresh/messages.js';
import { freshProcess, programFile } from '../run/fresh-process.js';
import type { Case, Round } from './workload.js';

const LIMIT_MS = 30_000;

/** How a program is written, and which file is that. */
const forms = { ESM: 'start.mjs', CommonJS: 'start.cjs' } as const;
export type Form = keyof typeof forms;

/** What one start came to. */
export const startRound = ({ ioredisMs, ownMs, firstLockMs }: StartReport): Round => ({
  figures: { importMs: ioredisMs + ownMs, importOwnMs: ownMs, firstLockMs },
  latencies: {},
  failures: [],
});

/** The first lock of a process that is started for each round. */
export function startCase(form: Form): Case {
  return {
    label: form,
    inShortRun: form === 'ESM',
    prepare: () => Promise.resolve({ mostInside: 1 }),
    async measure(bench, peer) {
      const { url } = await bench.use(peer);
      const order = { peer: peer.name, url, name: bench.freshName() };
      return startRound((await freshProcess(programFile(forms[form]), order, LIMIT_MS)) as StartReport);
    },
  };
}
