// Processes that take a core each.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('burn.mjs', import.meta.url));

/** @param {number} count @returns {Promise<{ pids: number[], stop: () => Promise<void> }>} */
export async function startLoad(count) {
  const children = Array.from({ length: count }, () => fork(program, { stdio: 'ignore' }));
  await Promise.all(children.map((child) => once(child, 'spawn')));
  const stop = async () => {
    await Promise.all(
      children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  };
  return { pids: children.map(({ pid }) => pid), stop };
}
