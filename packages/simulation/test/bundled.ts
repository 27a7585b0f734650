import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleProgram } from '@holdfast/testkit';

/**
 * Runs a script of this folder in a process of its own, as `npm run simulate` does, and gives what it printed. Within Jest a world takes ten
 * times as long.
 */
export async function runBundled(script: string, args: readonly (string | number)[] = []): Promise<string> {
  const program = await bundleProgram(fileURLToPath(new URL(`${script}.script.ts`, import.meta.url)));
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args.map(String)]);
  return stdout.trim();
}
