/** Starts the judge, and reads what it says. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CampaignClass } from '../faults/catalogue.js';
import { leaseMs } from './epoch.js';
import type { Judgement } from './judge.js';

const run = promisify(execFile);

/** In the folder of an epoch: what each server had written down when it was over, in a folder of its own. */
export const APPEND_ONLY = 'append-only';

/** A history that takes longer is none that this machine can judge. */
const limitMs = 300_000;

/** Judges the histories in `folder` in a process of its own, with low priority. */
export async function judge(file: string, folder: string, className: CampaignClass): Promise<Judgement> {
  const histories = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(folder, name));
  const served = join(folder, APPEND_ONLY);
  const { stdout } = await run(
    process.execPath,
    [
      '--max-old-space-size=4096',
      file,
      className,
      String(leaseMs),
      JSON.stringify(existsSync(served) ? readdirSync(served).map((name) => join(served, name)) : []),
      ...histories,
    ],
    { timeout: limitMs, maxBuffer: 64 * 2 ** 20 },
  );
  return JSON.parse(stdout) as Judgement;
}
