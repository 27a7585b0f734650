import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { requestsIn } from './hostile-server.js';
import { array, bulk, number } from './resp.js';

/** As sentinels give it: host and port. */
export type Master = readonly [host: string, port: number];

/** A sentinel that says what it is told to, in RESP2. */
export class FakeSentinel {
  readonly #server = createServer((socket) => this.#welcome(socket));
  readonly #open = new Set<Socket>();
  readonly #listening = new Set<Socket>();
  readonly #forgotten = new Set<Socket>();
  #port = 0;
  /** Whom it names. */
  master: Master;
  /** Whether who listens may stop it. */
  unsubscribing: 'allowed' | 'refused' = 'allowed';
  /** Whom it has as the master, and says so, at once when it has been asked the next time. */
  next: Master | undefined;
  /** How often it was asked for the master. */
  asked = 0;
  /** How often it was asked to be listened to. */
  subscribed = 0;

  constructor(master: Master) {
    this.master = master;
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.#port };
  }

  get listeners(): number {
    return this.#listening.size;
  }

  /** It tells who listens that the master is another one. */
  switchTo(to: Master): void {
    const message = this.#switch(to);
    for (const socket of this.#listening) if (!this.#forgotten.has(socket)) socket.write(message);
  }

  /** As a firewall forgets connections that were idle: they stay open, and nothing passes. New ones work. */
  forget(): void {
    for (const socket of this.#open) this.#forgotten.add(socket);
  }

  /** Every connection breaks. */
  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((closed) => this.#server.close(closed));
  }

  /** What it tells who listens. */
  #switch(to: Master): string {
    const words = ['main', ...this.master, ...to].join(' ');
    this.master = to;
    this.next = undefined;
    return array(bulk('message'), bulk('+switch-master'), bulk(words));
  }

  #welcome(socket: Socket): void {
    let rest = '';
    this.#open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () =>
      [this.#open, this.#listening, this.#forgotten].forEach((sockets) => sockets.delete(socket)),
    );
    socket.on('data', (chunk) => {
      if (this.#forgotten.has(socket)) return;
      const { requests, rest: begun } = requestsIn(rest + chunk.toString('latin1'));
      rest = begun;
      socket.write(requests.map((words) => this.#answer(socket, words)).join(''));
    });
  }

  #answer(socket: Socket, [command = '', ...words]: readonly string[]): string {
    switch (command.toLowerCase()) {
      case 'hello':
        return '-NOPROTO unsupported protocol version\r\n';
      case 'sentinel':
        if (this.#listening.has(socket)) return '-ERR only (P)SUBSCRIBE … are allowed in this context\r\n';
        this.asked++;
        return array(...this.master.map((word) => bulk(String(word))));
      case 'subscribe':
        this.#listening.add(socket);
        this.subscribed++;
        return [
          ...words.map((channel, index) => array(bulk('subscribe'), bulk(channel), number(index + 1))),
          this.next === undefined ? '' : this.#switch(this.next),
        ].join('');
      case 'unsubscribe':
        if (this.unsubscribing === 'refused') return '-NOPERM this user has no permissions\r\n';
        this.#listening.delete(socket);
        return ['+promoted-slave', '+switch-master']
          .map((channel, index) => array(bulk('unsubscribe'), bulk(channel), number(1 - index)))
          .join('');
      default:
        return '+OK\r\n';
    }
  }
}
