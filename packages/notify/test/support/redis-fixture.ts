import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type RedisServer, startPrivateRedis, waitUntil } from '@holdfast/testkit';
import type { Redis } from 'ioredis';
import type { SubscriberListener } from '../../src/index.js';
import { IoredisPort } from './ioredis-port.js';

/** One private server for a file, and what its tests need of it. After each test no subscription may be left. */
export class RedisFixture {
  #server: RedisServer | undefined;
  #admin: Redis | undefined;
  #ports: IoredisPort[] = [];

  constructor() {
    beforeAll(async () => {
      this.#server = await startPrivateRedis();
      this.#admin = await this.#server.admin();
    });
    afterEach(async () => {
      const clients = this.#ports.splice(0).map(({ client }) => client);
      for (const client of clients) client.disconnect();
      await waitUntil(() => clients.every(({ status }) => status === 'end'), { what: 'all connections have ended' });
      await waitUntil(async () => (await this.admin.pubsub('CHANNELS')).length === 0, { what: 'no channel is left' });
    });
    afterAll(() => this.#server?.stop());
  }

  get admin(): Redis {
    if (this.#admin === undefined) throw new Error('The server is not started yet');
    return this.#admin;
  }

  get url(): string {
    if (this.#server === undefined) throw new Error('The server is not started yet');
    return this.#server.url;
  }

  port(url = this.url): IoredisPort {
    const port = new IoredisPort(url);
    this.#ports.push(port);
    return port;
  }

  connect<Part extends { readonly listener: SubscriberListener }>(port: IoredisPort, part: Part): Part {
    port.listen(part.listener);
    return part;
  }

  /** Cuts every subscriber connection, as an overflowing output buffer or a failover does. */
  async killSubscribers(): Promise<void> {
    await this.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  }

  async subscribersOf(channel: string): Promise<number> {
    const [, count] = await this.admin.pubsub('NUMSUB', channel);
    return Number(count);
  }
}
