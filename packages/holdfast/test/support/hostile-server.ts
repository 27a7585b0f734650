import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** What it does with a script: bytes to answer with, or the connection to treat badly. */
export type Hostility = (socket: Socket) => void;

const requestStart = /\*\d+\r\n\$\d+\r\n([a-zA-Z]+)\r\n/g;

/**
 * A server that greets as Redis does and then answers every script as it likes. It speaks as much RESP2 and RESP3 as a handshake needs, and
 * plays no Redis beyond that.
 */
export class HostileServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #hostility: Hostility;
  /** How many scripts it has been sent. */
  scripts = 0;

  constructor(hostility: Hostility) {
    this.#hostility = hostility;
    this.#server = createServer((socket) => this.#welcome(socket));
  }

  async listen(): Promise<{ host: string; port: number }> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  /** Connections to it that are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  #welcome(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (chunk) => {
      for (const [, command = ''] of chunk.toString('latin1').matchAll(requestStart)) {
        if (!socket.destroyed) this.#answer(socket, command.toLowerCase(), chunk);
      }
    });
  }

  #answer(socket: Socket, command: string, chunk: Buffer): void {
    switch (command) {
      case 'hello':
        socket.write('%3\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$5\r\nproto\r\n:3\r\n');
        return;
      case 'info':
        socket.write('$35\r\nredis_version:7.0.0\r\nrole:master\r\n\r\n\r\n');
        return;
      case 'subscribe': {
        const channel = /holdfast_inbox:[^\r]+/.exec(chunk.toString('latin1'))?.[0] ?? '';
        socket.write(`*3\r\n$9\r\nsubscribe\r\n$${channel.length}\r\n${channel}\r\n:1\r\n`);
        return;
      }
      case 'evalsha':
      case 'eval':
        this.scripts++;
        this.#hostility(socket);
        return;
      case 'ping':
        socket.write('+PONG\r\n');
        return;
      default:
        socket.write('+OK\r\n');
    }
  }
}
