// Ports and readiness, without any package: this also runs before `pnpm install`.
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

export const loopback = '127.0.0.1';

/**
 * A TCP port of the loopback that was free a moment ago. Somebody else may take it before it is used: retry then.
 *
 * @returns {Promise<number>}
 */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, loopback, () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('the probe socket has no port'));
      });
    });
  });
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
 * How a server wants to be spoken to.
 *
 * @typedef {'plain' | 'tls'} Transport
 */

/**
 * A connection to the server on this machine that we started ourselves: its certificate may be for any host.
 *
 * @param {number} port
 * @param {Transport} transport
 */
const open = (port, transport) =>
  transport === 'tls' ? connectTls({ port, host: loopback, rejectUnauthorized: false }) : connect(port, loopback);

/**
 * What the server at `port` answers to INFO, or undefined when nothing usable answers. A server that asks for a
 * password first counts as answering. The 'close' matters: docker's port proxy accepts and closes while Redis starts.
 *
 * @param {number} port
 * @param {Transport} transport
 * @returns {Promise<string | undefined>}
 */
function askInfo(port, transport) {
  return new Promise((resolve) => {
    const socket = open(port, transport);
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
 * @param {{ port: number, timeoutMs: number, pid?: number, hasEnded?: () => boolean, transport?: Transport }} options
 * @returns {Promise<boolean>} false: not within `timeoutMs`, or the process has ended
 */
export async function waitUntilUp({ port, timeoutMs, pid, hasEnded = () => false, transport = 'plain' }) {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && !hasEnded()) {
    const info = await askInfo(port, transport);
    if (info !== undefined) {
      const answering = /^process_id:(\d+)/m.exec(info)?.[1];
      if (pid === undefined || answering === undefined || Number(answering) === pid) return true;
    }
    await sleep(5);
  }
  return false;
}
