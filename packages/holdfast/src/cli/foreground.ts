import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether a process is in the foreground of its terminal: there it hears Ctrl+C by itself. Looked up anew each time, because shells move jobs to and fro, and
 * of the process itself, because it may have left our group. Where nothing tells, as on Windows, it counts as there.
 */
export function isInForeground(pid: number): boolean {
  try {
    const [group, foreground] = process.platform === 'linux' ? groupsInProc(pid) : groupsOfPs(pid);
    return group === foreground;
  } catch {
    return true;
  }
}

/** Its own process group, and the one in the foreground of its terminal. */
type Groups = readonly [group: string | undefined, foreground: string | undefined];

function groupsInProc(pid: number): Groups {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program comes first, in brackets, and may hold anything.
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [group, foreground];
}

/** A system without `/proc`; busybox, whose `ps` knows less, is at home on Linux. */
function groupsOfPs(pid: number): Groups {
  const told = execFileSync('ps', ['-o', 'pgid=', '-o', 'tpgid=', '-p', `${pid}`], { encoding: 'utf8', stdio: 'pipe' });
  const [group, foreground] = told.trim().split(/\s+/);
  return [group, foreground];
}
