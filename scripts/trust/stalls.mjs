// Stops a process in which tests run for as long as a machine with too much to do may, then another: SIGSTOP, SIGCONT. Linux only: it finds them in /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const pauseMs = [50, 600];
const stallMs = [200, 700];

const between = ([least, most]) => least + Math.random() * (most - least);

/** Every process that can be seen: its parent, and how it was called. */
function processes() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the program comes first, in brackets, and may hold anything.
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [{ pid: Number(name), parent: Number(parent), called: readFileSync(`/proc/${name}/cmdline`, 'utf8') }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** @param {number} pid @returns {number[]} the processes below it that were called by a name with `word` in it */
export function below(pid, word) {
  const all = processes();
  const found = [];
  for (const parents = [pid]; parents.length > 0; ) {
    const parent = parents.pop();
    for (const child of all.filter((one) => one.parent === parent)) {
      parents.push(child.pid);
      if (child.called.includes(word)) found.push(child.pid);
    }
  }
  return found;
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/**
 * @param {string} word what those to stop are called by
 * @returns {{ readonly count: number, stop: () => Promise<void> }} `count`: how many there have been
 */
export function startStalls(word) {
  const stopped = new AbortController();
  let count = 0;
  const stall = async () => {
    while (!stopped.signal.aborted) {
      await sleep(between(pauseMs));
      const pids = below(process.pid, word);
      const pid = pids[Math.floor(Math.random() * pids.length)];
      if (pid === undefined || stopped.signal.aborted) continue;
      signal(pid, 'SIGSTOP');
      count++;
      await sleep(between(stallMs));
      signal(pid, 'SIGCONT');
    }
  };
  const ended = stall();
  return {
    get count() {
      return count;
    },
    stop: () => {
      stopped.abort();
      return ended;
    },
  };
}
