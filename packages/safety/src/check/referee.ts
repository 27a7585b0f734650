/**
 * The external referee: Porcupine, in Go, on the same files (packages/safety/referee). Needs Go, and on first use its module, which Go
 * fetches from its proxy; where one of them is missing there is no referee, and the answer says why.
 */
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FaultClass } from './fault-classes.js';

const runFile = promisify(execFile);

export interface RefereeVerdict {
  readonly operations: number;
  readonly locks: number;
  /** Locks on which no order explains the operations. */
  readonly illegal: readonly string[];
  readonly undecided: readonly string[];
}

export interface Referee {
  /** @throws when the referee cannot read the files. */
  judge(files: readonly string[], faultClass: FaultClass): Promise<RefereeVerdict>;
}

export type Called =
  | { readonly kind: 'ready'; readonly referee: Referee }
  | { readonly kind: 'absent'; readonly why: string };

/** Builds the referee (a second or two, then cached by Go). `root`: folder of the package. */
export async function callReferee(root: string): Promise<Called> {
  const source = join(root, 'referee');
  const program = join(root, 'node_modules/.cache/referee');
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  try {
    await runFile('go', ['build', '-mod=readonly', '-o', program, '.'], { cwd: source, timeout: 120_000 });
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT') return { kind: 'absent', why: 'there is no Go here' };
    return { kind: 'absent', why: `Go could not build it: ${(stderr ?? message).trim().split('\n').at(-1) ?? ''}` };
  }
  return { kind: 'ready', referee: { judge: (files, faultClass) => runReferee(program, files, faultClass) } };
}

async function runReferee(
  program: string,
  files: readonly string[],
  { exclusion }: FaultClass,
): Promise<RefereeVerdict> {
  // Something has to be named, else a force unlock does not count either.
  const seizedBy = exclusion.kind === 'always' ? [] : ['-seized-by', ['force', ...exclusion.takenBy].join(',')];
  const settled = await runFile(program, [...seizedBy, ...files], { maxBuffer: 1 << 26 }).catch((error: unknown) => {
    const { code, stdout, stderr } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (code !== 1 || stdout === undefined)
      throw new Error(`the referee failed: ${stderr ?? String(error)}`, { cause: error });
    return { stdout };
  });
  return JSON.parse(settled.stdout) as RefereeVerdict;
}
