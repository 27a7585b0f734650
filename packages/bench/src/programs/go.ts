import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Program, ProgramUnavailable } from './program.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('../../go', import.meta.url));
const binary = fileURLToPath(new URL('../../node_modules/.cache/bench-go', import.meta.url));

/** A proxy of modules that does not answer must not hold up everything. */
const LIMIT_MS = 8 * 60_000;

/** What a go.mod requires by itself: version by module. */
export function modulesOf(text: string): Record<string, string> {
  const required = text.matchAll(/^\s*(?:require )?(\S+\.\S+\/\S+) v(\S+)$/gm);
  return Object.fromEntries([...required].map(([, module = '', version = '']) => [module, version]));
}

/** The version in what `go version` says, as in `go version go1.26.8 linux/amd64`. */
export const goOf = (text: string): string => /\bgo(\d[\d.]*)/.exec(text)?.[1] ?? 'unknown';

const cannotBeHad = /dial tcp|no such host|i\/o timeout|proxyconnect|connection refused|toolchain not available/i;

/** What a failed build means: nothing to be done here, or a mistake of ours. */
export function causeOf(said: string): Error {
  const line = said.split('\n').find((one) => cannotBeHad.test(one));
  if (line === undefined) return new Error(`packages/bench/go does not compile:\n${said}`);
  return new ProgramUnavailable(`Go cannot get what it needs: ${line.trim().slice(0, 300)}`);
}

async function versionOfGo(): Promise<string> {
  try {
    return goOf((await run('go', ['version'])).stdout);
  } catch {
    throw new ProgramUnavailable('there is no Go (go) on the PATH');
  }
}

/** @throws ProgramUnavailable without Go, or what it has to get. */
export async function goProgram(): Promise<Program> {
  const go = await versionOfGo();
  try {
    await run('go', ['build', '-o', binary, '.'], { cwd: folder, timeout: LIMIT_MS });
  } catch (error) {
    throw causeOf(error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error));
  }
  const modules = Object.entries(modulesOf(readFileSync(`${folder}/go.mod`, 'utf8')));
  const versions = Object.fromEntries(modules.map(([module, version]) => [module, `${version}, Go ${go}`]));
  return { command: binary, args: [], versions };
}
