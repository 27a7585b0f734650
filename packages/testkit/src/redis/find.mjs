/**
 * Where tests get their Redis from: the one implementation behind `startRedis()` and `scripts/with-redis.mjs`. It is
 * plain JavaScript on Node's own modules, so that it runs on a fresh clone, before anything is installed or built.
 *
 * Order: `REDIS_URL`; a server program on this machine; Docker, when an engine answers; `apt-get install redis-tools`,
 * for root on Debian or Ubuntu; else an error that says what to install.
 *
 * @module
 */
import { canInstall, installRedis } from './apt.mjs';
import { chosenBinary, findBinary } from './binary.mjs';
import { dockerAnswers, startInDocker } from './docker.mjs';
import { startLocal } from './local.mjs';

/**
 * What can be done to a server that is ours alone.
 *
 * @typedef {object} Faults
 * @property {() => number | undefined} pid        of the server process; undefined in a container
 * @property {() => Promise<void>} suspend
 * @property {() => Promise<void>} resume
 * @property {() => Promise<void>} kill
 * @property {() => Promise<void>} restart         same port, empty unless it persists; resolves when it answers
 */

/**
 * @typedef {object} FoundRedis
 * @property {string} how                          where it came from, for people
 * @property {string} host
 * @property {number} port
 * @property {string} url
 * @property {import('./certificate.mjs').Certificate | undefined} [tls]   its certificate, with TLS
 * @property {Faults} [faults]                     absent: somebody else's server, given by REDIS_URL
 * @property {() => Promise<void>} stop            ends a server of ours; leaves somebody else's alone
 */

/**
 * The ways to get a server, replaceable one by one so that their order can be tested.
 *
 * @typedef {object} Sources
 * @property {typeof findBinary} findBinary
 * @property {typeof startLocal} startLocal
 * @property {typeof dockerAnswers} dockerAnswers
 * @property {typeof startInDocker} startInDocker
 * @property {typeof canInstall} canInstall
 * @property {typeof installRedis} installRedis
 */

/** @type {Sources} */
const realSources = { findBinary, startLocal, dockerAnswers, startInDocker, canInstall, installRedis };

const howToGetOne = `No Redis found for the tests. Do one of these:
  - set REDIS_URL to a server that tests may use, e.g. REDIS_URL=redis://127.0.0.1:6379
  - install a server: brew install valkey | apt-get install redis-server | dnf install valkey
  - start Docker (an image other than redis:7: REDIS_IMAGE)`;

/**
 * @param {string} url
 * @returns {FoundRedis}
 */
function sharedServer(url) {
  const { hostname, port } = new URL(url);
  return {
    how: 'REDIS_URL',
    host: hostname,
    port: port === '' ? 6379 : Number(port),
    url,
    stop: async () => undefined,
  };
}

/**
 * A private, empty server, whatever REDIS_URL says.
 *
 * @param {import('./local.mjs').LocalOptions & { server?: string | undefined, env?: NodeJS.ProcessEnv }} [options]
 *   `server`: the program to start; one that was asked for by name is never replaced by another.
 * @param {Partial<Sources>} [replaced]
 * @returns {Promise<FoundRedis>}
 */
export async function findPrivateRedis({ server, env = process.env, ...options } = {}, replaced = {}) {
  const sources = { ...realSources, ...replaced };
  const binary = server === undefined ? sources.findBinary(env) : chosenBinary(server);
  if (binary !== undefined) return sources.startLocal(binary, options);
  const { args, port, config, tls, findPort, serverEnv } = options;
  const fitsAContainer = [config, tls, findPort, serverEnv].every((option) => option === undefined);
  /** @type {unknown} */
  let cause;
  if (fitsAContainer && sources.dockerAnswers(env)) {
    try {
      return await sources.startInDocker({ args, port, env });
    } catch (error) {
      cause = error; // an engine that cannot pull the image; apt may still help
    }
  }
  if (sources.canInstall() && (await sources.installRedis())) {
    const installed = sources.findBinary(env);
    if (installed !== undefined) return sources.startLocal(installed, options);
  }
  throw new Error(howToGetOne, cause === undefined ? undefined : { cause });
}

/**
 * The server named by REDIS_URL, else a private one.
 *
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 * @param {Partial<Sources>} [replaced]
 * @returns {Promise<FoundRedis>}
 */
export async function findRedis({ env = process.env } = {}, replaced = {}) {
  const url = env['REDIS_URL'];
  return url === undefined || url === '' ? findPrivateRedis({ env }, replaced) : sharedServer(url);
}
