// A server of this machine's own, as a child process.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { versionOf } from './binary.mjs';
import { whenThisProcessEnds } from './guardian.mjs';
import { freePort, loopback, waitUntilUp } from './tcp.mjs';

const portTries = 5;
const startTimeoutMs = 10_000;

/**
 * What only a program on this machine can be started with; a container cannot.
 *
 * @typedef {object} LocalOptions
 * @property {string[] | undefined} [args]           further command line arguments
 * @property {number | undefined} [port]
 * @property {(() => Promise<number>) | undefined} [findPort]   which ports will do when none is given
 * @property {string | undefined} [config]           text of a configuration file; the server may rewrite the file
 * @property {import('./certificate.mjs').Certificate | undefined} [tls]
 * @property {Record<string, string> | undefined} [serverEnv]   added to the program's environment
 */

/**
 * The configuration file and the certificate as files in `dir`, as arguments. The file's path has to come first.
 *
 * @param {string} dir
 * @param {LocalOptions} options
 */
function fileArgs(dir, { config, tls }) {
  /** @param {string} name @param {string} text */
  const written = (name, text) => {
    writeFileSync(join(dir, name), text, { mode: 0o600 });
    return join(dir, name);
  };
  const first = config === undefined ? [] : [written('server.conf', config)];
  if (tls === undefined) return { first, more: [] };
  const { ca, cert, key } = tls;
  const files = { 'tls-ca-cert-file': ca, 'tls-cert-file': cert, 'tls-key-file': key };
  const more = Object.entries(files).flatMap(([option, text]) => [`--${option}`, written(`${option}.pem`, text)]);
  return { first, more: [...more, '--tls-auth-clients', 'no', '--tls-replication', 'yes'] };
}

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
 * @param {import('./certificate.mjs').Certificate | undefined} tls
 * @param {Record<string, string> | undefined} env
 */
async function run(binary, args, dir, port, tls, env) {
  const logFile = join(dir, 'server.log'); // a complaint about its arguments goes to stderr, the rest to stdout
  const log = openSync(logFile, 'w');
  const portArgs = tls === undefined ? ['--port', String(port)] : ['--port', '0', '--tls-port', String(port)];
  const child = spawn(binary.file, [...args, ...portArgs], {
    argv0: binary.argv0,
    detached: true, // Ctrl-C in a terminal is for the tests; they may still need the server to clean up
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
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
  const up = await waitUntilUp({ port, timeoutMs: startTimeoutMs, pid: child.pid, hasEnded, tls });
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
 * @param {LocalOptions} options
 * @returns {Promise<import('./find.mjs').FoundRedis>}
 */
export async function startLocal(binary, options) {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-redis-'));
  const { findPort = freePort, tls } = options;
  const { first, more } = fileArgs(dir, options);
  const args = [...first, '--bind', loopback, '--save', '', '--appendonly', 'no', '--dir', dir, ...more];
  if ((versionOf(binary)?.[0] ?? 0) >= 7) args.push('--enable-debug-command', 'local'); // DEBUG SLEEP, DEBUG JMAP …
  args.push(...(options.args ?? []));

  let port = options.port ?? (await findPort());
  /** @type {Awaited<ReturnType<typeof run>> | undefined} */
  let running;
  for (let tries = 1; running === undefined; tries++) {
    try {
      running = await run(binary, args, dir, port, tls, options.serverEnv);
    } catch (error) {
      const taken = /Address already in use|bind:/i.test(String(error));
      if (!taken || options.port !== undefined || tries === portTries) {
        rmSync(dir, { recursive: true, force: true });
        throw error;
      }
      port = await findPort();
    }
  }

  let { child, kill } = running;
  return {
    how: basename(binary.file) === binary.argv0 ? binary.file : `${binary.file}, started as ${binary.argv0}`,
    host: loopback,
    port,
    url: `${tls === undefined ? 'redis' : 'rediss'}://${loopback}:${port}`,
    tls,
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
        ({ child, kill } = await run(binary, args, dir, port, tls, options.serverEnv));
      },
    },
    stop: async () => {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
