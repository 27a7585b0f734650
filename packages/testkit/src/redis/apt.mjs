// The last resort where nobody is asked first anyway: root on Debian or Ubuntu, as in a CI container.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const aptGet = '/usr/bin/apt-get';

/** Whether packages can be installed without asking anybody. */
export function canInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && existsSync(aptGet);
}

/**
 * `flock` (util-linux, essential on these systems) makes parallel test workers take turns, and the kernel gives the
 * lock back whatever happens to its holder. To whoever comes second apt-get answers that all is installed.
 *
 * @param {...string} args
 * @returns {Promise<boolean>} whether it succeeded
 */
function runApt(...args) {
  return new Promise((resolve) => {
    const lockFile = join(tmpdir(), 'holdfast-apt.lock');
    const child = spawn('flock', [lockFile, aptGet, '-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: 'ignore',
    });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** Installs the server without a service that would start by itself. @returns {Promise<boolean>} */
export function installRedis() {
  process.stderr.write('[redis] none found: apt-get install redis-tools (starts no service)\n');
  return installPackages('redis-tools');
}

/** @param {...string} packages @returns {Promise<boolean>} whether all are installed now */
export async function installPackages(...packages) {
  const install = () => runApt('install', '--yes', '--no-install-recommends', ...packages);
  if (await install()) return true;
  await runApt('update'); // a fresh image has no package lists; one broken extra source must not end it here
  return install();
}
