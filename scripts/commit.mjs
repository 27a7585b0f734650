import { execFileSync } from 'node:child_process';
import { root } from './run.mjs';

/** The commit that is checked out, for results; `unknown` where there is no repository. */
export function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
