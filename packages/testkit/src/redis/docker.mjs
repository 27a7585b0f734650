// A server in a container: through Testcontainers where that is installed, else with the docker program alone.
// Either way the host port is fixed, so that a restart keeps it, and faults go through the docker program by id.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { whenThisProcessEnds } from './guardian.mjs';
import { freePort, loopback, waitUntilUp } from './tcp.mjs';

const exec = promisify(execFile);
const startTimeoutMs = 60_000;
const defaultImage = 'redis:7';

/** @param {string[]} args */
const docker = async (...args) => (await exec('docker', args)).stdout.trim();

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean} whether an engine answers, not only whether the program is installed
 */
export function dockerAnswers(env) {
  return spawnSync('docker', ['info'], { env, stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/**
 * @param {string} image
 * @param {string[]} command
 * @param {number} port
 * @returns {Promise<{ id: string, how: string, remove: () => Promise<unknown> } | undefined>} undefined: not installed
 */
async function throughTestcontainers(image, command, port) {
  /** @type {typeof import('@testcontainers/redis')} */
  let testcontainers;
  try {
    testcontainers = await import('@testcontainers/redis');
  } catch {
    return undefined;
  }
  const container = await new testcontainers.RedisContainer(image)
    .withExposedPorts({ container: 6379, host: port })
    .withCommand(command)
    .start();
  return { id: container.getId(), how: `Testcontainers ${image}`, remove: () => container.stop() };
}

/**
 * @param {string} image
 * @param {string[]} command
 * @param {number} port
 */
async function throughProgram(image, command, port) {
  const id = await docker('run', '--detach', '--publish', `${loopback}:${port}:6379`, image, ...command);
  return { id, how: `docker ${image}`, remove: () => docker('rm', '--force', '--volumes', id) };
}

/**
 * @param {{ args?: string[] | undefined, port?: number | undefined, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<import('./find.mjs').FoundRedis>}
 */
export async function startInDocker(options) {
  const image = options.env['REDIS_IMAGE'] ?? defaultImage;
  const port = options.port ?? (await freePort());
  const command = ['redis-server', '--save', '', '--appendonly', 'no', ...(options.args ?? [])];
  const container = (await throughTestcontainers(image, command, port)) ?? (await throughProgram(image, command, port));
  const unguard = whenThisProcessEnds('docker rm --force --volumes "$1"', container.id);
  const stop = async () => {
    await container.remove();
    unguard();
  };
  const awaitUp = async () => {
    if (await waitUntilUp({ port, timeoutMs: startTimeoutMs })) return;
    const log = await docker('logs', '--tail', '20', container.id).catch(String);
    await stop();
    throw new Error(`${container.how} did not come up on port ${port}:\n${log}`);
  };
  await awaitUp();
  return {
    how: container.how,
    host: loopback,
    port,
    url: `redis://${loopback}:${port}`,
    faults: {
      pid: () => undefined,
      suspend: async () => void (await docker('pause', container.id)),
      resume: async () => void (await docker('unpause', container.id)),
      kill: async () => void (await docker('kill', container.id)),
      restart: async () => {
        await docker('restart', '--time', '0', container.id);
        await awaitUp();
      },
    },
    stop,
  };
}
