import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import type { RedisKit } from '@holdfast/testkit';

/** What a proxy does with a command that it does not know. */
type Manner = 'says so' | 'ends the connection';

/** A proxy to the kit's server that does not know INFO, and how often it was asked that. */
export async function proxyWithoutInfo(kit: RedisKit, manner: Manner) {
  const asked = { info: 0 };
  const server = createServer((client) => {
    const redis = connect(kit.server.port, kit.server.host);
    for (const socket of [client, redis]) socket.on('error', () => undefined);
    client.on('close', () => redis.destroy());
    redis.on('close', () => client.destroy());
    redis.on('data', (answer) => client.write(answer));
    client.on('data', (question) => {
      const text = question.toString('latin1');
      const isInfo = /\r\ninfo\r\n/i.test(text);
      if (isInfo) asked.info++;
      if (isInfo && manner === 'ends the connection') client.destroy();
      else redis.write(text.replaceAll(/\r\ninfo\r\n/gi, '\r\nno-i\r\n'), 'latin1');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  kit.cleanup(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}
