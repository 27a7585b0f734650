import { execFileSync } from 'node:child_process';
import type { RedisServer } from '@holdfast/testkit';

const never = new Int32Array(new SharedArrayBuffer(4));

/** The event loop stands still for so long. The processor is left to others: tests of other files run beside this one. */
export function stall(ms: number): void {
  const until = performance.now() + ms;
  for (let left = ms; left > 0; left = until - performance.now()) Atomics.wait(never, 0, 0, left);
}

/** Asks until the key is there. */
const LOOKING = `
  const [host, port, key] = process.argv.slice(1);
  const socket = require('node:net').connect(port, host);
  const ask = () => socket.write('EXISTS ' + key + '\\r\\n');
  socket.on('data', (answer) => (String(answer) === ':1\\r\\n' ? process.exit() : ask()));
  ask();
`;

/** The event loop stands still until the server has done what was asked of it, and the key is there: the answer has come, and is not read yet. */
export function stallUntilThere({ host, port }: Pick<RedisServer, 'host' | 'port'>, key: string): void {
  execFileSync(process.execPath, ['-e', LOOKING, host, `${port}`, key], { timeout: 20_000 });
}
