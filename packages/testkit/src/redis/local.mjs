// A server of this machine's own, as a child process.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { versionOf } from './binary.mjs';
import { whenThisProcessEnds } from './guardian.mjs';
import { freePort, loopback, waitUntilUp } from './tcp.mjs';

const portTries = 5;
const startTimeoutMs = 10_000;

/**
 * Whether a process that was sent SIGSTOP has not stopped yet: it may finish a command it is at. Known from /proc only.
 *
 * @param {number} pid
 */
function stillRuns(pid) {
  try {
    return !/^State:\s+[TtZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/**
 * One run of the program. Rejects with the server's own words when it does not come up.
 *
 * @param {import('./binary.mjs').Binary} binary
 * @param {string[]} args
 * @param {string} dir
 * @param {number} port
 */
async function run(binary, args, dir, port) {
  const logFile = join(dir, 'server.log'); // a complaint about its arguments goes to stderr, the rest to stdout
  const log = openSync(logFile, 'w');
  const child = spawn(binary.file, [...args, '--port', String(port)], {
    argv0: binary.argv0,
    detached: true, // Ctrl-C in a terminal is for the tests; they may still need the server to clean up
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  /** @type {Promise<void>} */
  const ended = new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const unguard = whenThisProcessEnds('kill -9 "$1"; rm -rf "$2"', String(child.pid), dir);
  child.once('exit', unguard).once('error', unguard);
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  child.unref(); // a test that forgets to stop its server must still be able to end
  const kill = () => {
    child.ref();
    child.kill('SIGKILL');
    return ended;
  };
  const up = await waitUntilUp({ port, timeoutMs: startTimeoutMs, pid: child.pid, hasEnded });
  if (!up) {
    await kill();
    throw new Error(`${binary.file} did not start on port ${port}:\n${readFileSync(logFile, 'utf8').trim()}`);
  }
  return { child, kill };
}

/**
 * Starts the program on `port`, or on a free one. Data lives in memory and in a private folder that goes with it.
 *
 * @param {import('./binary.mjs').Binary} binary
 * @param {{ args?: string[] | undefined, port?: number | undefined }} options
 * @returns {Promise<import('./find.mjs').FoundRedis>}
 */
export async function startLocal(binary, options) {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  const args = ['--bind', loopback, '--save', '', '--appendonly', 'no', '--dir', dir];
  if ((versionOf(binary)?.[0] ?? 0) >= 7) args.push('--enable-debug-command', 'local'); // DEBUG SLEEP, DEBUG JMAP …
  args.push(...(options.args ?? []));

  let port = options.port ?? (await freePort());
  /** @type {Awaited<ReturnType<typeof run>> | undefined} */
  let running;
  for (let tries = 1; running === undefined; tries++) {
    try {
      running = await run(binary, args, dir, port);
    } catch (error) {
      const taken = /Address already in use|bind:/i.test(String(error));
      if (!taken || options.port !== undefined || tries === portTries) {
        rmSync(dir, { recursive: true, force: true });
        throw error;
      }
      port = await freePort();
    }
  }

  let { child, kill } = running;
  return {
    how: binary.file,
    host: loopback,
    port,
    url: `redis://${loopback}:${port}`,
    faults: {
      pid: () => child.pid,
      suspend: async () => {
        child.kill('SIGSTOP');
        while (child.pid !== undefined && stillRuns(child.pid)) await sleep(1);
      },
      resume: async () => void child.kill('SIGCONT'),
      kill: () => kill(),
      restart: async () => {
        await kill();
        ({ child, kill } = await run(binary, args, dir, port));
      },
    },
    stop: async () => {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
