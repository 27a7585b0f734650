// SPIN and a C compiler: those of this machine, else Debian's where nobody has to be asked.
import { spawnSync } from 'node:child_process';
import { canInstall, installPackages } from '../../packages/testkit/src/redis/apt.mjs';

const present = (program, argument) => spawnSync(program, [argument], { stdio: 'ignore' }).error === undefined;

const complete = () => present('spin', '-V') && present('gcc', '--version');

/** @returns {Promise<boolean>} whether both can be run now */
export async function haveTools() {
  if (complete()) return true;
  if (!canInstall()) return false;
  process.stderr.write('[spec] no spin or no gcc: apt-get install spin gcc libc6-dev\n');
  return (await installPackages('spin', 'gcc', 'libc6-dev')) && complete();
}
