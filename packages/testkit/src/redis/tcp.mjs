// Ports and readiness, without any package: this also runs before `pnpm install`.
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

export const loopback = '127.0.0.1';

/** Below the ports that systems give to outgoing connections: Linux from 32 768, others from 49 152. */
const lowest = 10_000;
export const highestFreePort = 32_000;

/**
 * A TCP port of the loopback that is free at this moment. Somebody else may take it before it is used: retry then.
 *
 * Not one that an outgoing connection could be given. While a server is down, everybody who tries to come back to such a port may be given
 * it as his own, is then connected to himself, and the server cannot start again.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highestFreePort - lowest));
    if (await isPortFree(port)) return port;
  }
}

/**
 * Whether a port of the loopback is free at this moment.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isPortFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, loopback, () => probe.close(() => resolve(true)));
  });
}

/**
 * A connection to the server on this machine that we started ourselves: its certificate may be for any host, and is ours as well
 * should it want to see one.
 *
 * @param {number} port
 * @param {import('./certificate.mjs').Certificate | undefined} tls
 */
const open = (port, tls) =>
  tls === undefined ? connect(port, loopback) : connectTls({ ...tls, port, host: loopback, rejectUnauthorized: false });

/**
 * What the server at `port` answers to INFO, or undefined when nothing usable answers. A server that asks for a
 * password first counts as answering. The 'close' matters: docker's port proxy accepts and closes while Redis starts.
 *
 * @param {number} port
 * @param {import('./certificate.mjs').Certificate | undefined} tls
 * @returns {Promise<string | undefined>}
 */
function askInfo(port, tls) {
  return new Promise((resolve) => {
    const socket = open(port, tls);
    let text = '';
    /** @param {string | undefined} answer */
    const done = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => done(undefined));
    socket.on('error', () => done(undefined));
    socket.on('close', () => done(undefined));
    socket.write('INFO server\r\n'); // leaves once the connection stands
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (text.startsWith('-NOAUTH') || text.includes('\nexecutable:') || text.includes('\nuptime_in_seconds:'))
        done(text);
      else if (text.startsWith('-')) done(undefined);
    });
  });
}

/**
 * Waits until a Redis answers at `port`. With `pid` it must be that very process: a stranger that won the race for the
 * port answers just as well.
 *
 * @param {{ port: number, timeoutMs: number, pid?: number, hasEnded?: () => boolean, tls?: import('./certificate.mjs').Certificate | undefined }} options
 * @returns {Promise<boolean>} false: not within `timeoutMs`, or the process has ended
 */
export async function waitUntilUp({ port, timeoutMs, pid, hasEnded = () => false, tls }) {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && !hasEnded()) {
    const info = await askInfo(port, tls);
    if (info !== undefined) {
      const answering = /^process_id:(\d+)/m.exec(info)?.[1];
      if (pid === undefined || answering === undefined || Number(answering) === pid) return true;
    }
    await sleep(5);
  }
  return false;
}
