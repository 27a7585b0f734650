/**
 * A way to a TLS server on which whoever speaks before the server has looked at its certificate never hears why it is turned away: the connection is
 * reset. That is what becomes of a server's alert when something has been sent to it meanwhile, on some connections; here on all.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { RedisKit } from '@holdfast/testkit';

/** Of TLS 1.3: what is encrypted. A client without a certificate sends two such records in its handshake. */
const ENCRYPTED = 23;
const OF_HANDSHAKE = 2;
const HEADER = 5;

/** Closed when the test has ended. */
export async function lostAlerts(kit: RedisKit): Promise<{ readonly host: string; readonly port: number }> {
  const server = createServer((client) => {
    const upstream = connect({ host: kit.server.host, port: kit.server.port });
    const all: Buffer[] = [];
    const held: Buffer[] = [];
    let isFirst = true;
    client.on('error', () => undefined);
    client.on('close', () => upstream.destroy());
    client.on('data', (chunk) => {
      all.push(chunk);
      if (encryptedIn(Buffer.concat(all)) > OF_HANDSHAKE) client.resetAndDestroy();
      else upstream.write(chunk);
    });
    upstream.on('error', () => undefined);
    upstream.on('data', (chunk) => {
      if (isFirst) client.write(chunk);
      else held.push(chunk);
      isFirst = false;
    });
    // What the client has said by now arrives first. The server may reset the connection in place of ending it.
    upstream.on('close', () => setImmediate(() => client.end(Buffer.concat(held))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  kit.cleanup(() => void server.close());
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

function encryptedIn(sent: Buffer): number {
  let count = 0;
  for (let at = 0; at + HEADER <= sent.length; at += HEADER + sent.readUInt16BE(at + 3))
    if (sent[at] === ENCRYPTED) count++;
  return count;
}
