// The Java program of interop/: is it possible here, and made.
import { spawn, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { needsShell, root } from '../run.mjs';

const folder = join(root, 'interop');

/** A repository that does not answer must not hold up everything. */
const limitMs = 8 * 60_000;

/** Java beside Node cannot be run here; the message says why, in one line. */
export class JavaUnavailable extends Error {}

/** @throws JavaUnavailable unless there are a JDK of at least 17 and Maven. */
function checkTools() {
  const { stderr, stdout, error } = spawnSync('javac', ['-version'], { encoding: 'utf8', shell: needsShell });
  const major = Number(/javac (\d+)/.exec(`${stdout} ${stderr}`)?.[1]);
  if (error !== undefined || !(major >= 17)) throw new JavaUnavailable('there is no JDK 17 or later on the PATH');
  if (spawnSync('mvn', ['-v'], { shell: needsShell }).status !== 0) {
    throw new JavaUnavailable('there is no Maven (mvn) on the PATH');
  }
}

async function maven(args) {
  const child = spawn('mvn', ['-q', '-B', ...args], {
    cwd: folder,
    timeout: limitMs,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: needsShell,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, said };
}

const cannotBeHad = /could not (?:be resolved|transfer|find|resolve)|cannot access|unknown host/i;

/**
 * Compiles the program, first with what Maven has already, then with what it can get.
 *
 * @param {{ redisson?: string | undefined }} [options] version of Redisson; default: that of interop/pom.xml
 * @returns {Promise<string>} the class path
 * @throws JavaUnavailable when tools are missing or artifacts cannot be had; Error when it does not compile
 */
export async function buildJava({ redisson } = {}) {
  checkTools();
  const goals = ['clean', 'package', ...(redisson === undefined ? [] : [`-Dredisson.version=${redisson}`])];
  let { code, said } = await maven(['-o', ...goals]);
  if (code !== 0) {
    process.stderr.write('[interop] Maven gets what it needs …\n');
    ({ code, said } = await maven(goals));
  }
  if (code !== 0 && cannotBeHad.test(said)) {
    const cause = said.split('\n').find((line) => cannotBeHad.test(line)) ?? '';
    throw new JavaUnavailable(`Maven cannot get what it needs: ${cause.trim().slice(0, 300)}`);
  }
  if (code !== 0) throw new Error(`interop/ does not compile:\n${said}`);
  return [join(folder, 'target/interop.jar'), join(folder, 'target/lib/*')].join(delimiter);
}
