// node scripts/with-redis.mjs -- <command…>
//
// Runs the command with REDIS_URL set to a private, empty Redis (or to the one REDIS_URL names already) and ends with
// the command's exit code or signal. Needs nothing installed: see packages/testkit/src/redis/find.mjs for the order.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { findRedis } from '../packages/testkit/src/redis/find.mjs';

const separator = process.argv.indexOf('--');
const [program, ...args] = separator === -1 ? [] : process.argv.slice(separator + 1);
if (program === undefined) {
  process.stderr.write('usage: node scripts/with-redis.mjs -- <command…>\n');
  process.exit(64);
}

const startedAt = performance.now();
const redis = await findRedis().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  if (error.cause !== undefined) process.stderr.write(`Docker said: ${error.cause.message}\n`);
  process.exit(69);
});
process.stderr.write(`[redis] ${redis.how} at ${redis.url} after ${Math.round(performance.now() - startedAt)} ms\n`);

// First the handlers, then the command: it may run, and somebody send a signal, before spawn() has returned.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  // A terminal sends Ctrl-C to the command as well; a second one would make many programs give up at once.
  process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : command.kill(signal)));
}
const command = spawn(program, args, { stdio: 'inherit', env: { ...process.env, REDIS_URL: redis.url } });
const exitCode = await new Promise((resolve) => {
  command.once('error', (error) => {
    process.stderr.write(`${program}: ${error.message}\n`);
    resolve(127);
  });
  command.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
});
await redis.stop();
process.exitCode = exitCode;
