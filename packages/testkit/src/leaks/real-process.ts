import { runInThisContext } from 'node:vm';

/**
 * The process itself. A test runner may give its sandbox a copy of `process` whose listeners never fire (jest does);
 * code that runs in Node's own context still sees the real one.
 */
export function realProcess(): NodeJS.Process {
  const found: NodeJS.Process = runInThisContext('process');
  return found;
}
