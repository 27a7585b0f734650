import { connect as open, type Socket } from 'node:net';

const PING = 'PING\r\n';
const PONG_LENGTH = '+PONG\r\n'.length;

/** A connection of the sections' own, without a client around it: what they send is not the library's, and is not counted. */
export class RoundTrips {
  readonly #socket: Socket;
  readonly #waiting: (() => void)[] = [];
  #received = 0;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = open({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', ({ length }) => {
      for (this.#received += length; this.#received >= PONG_LENGTH; this.#received -= PONG_LENGTH) {
        this.#waiting.shift()?.();
      }
    });
  }

  /** Resolves when so many PINGs, one after the other, have been answered. */
  async make(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        this.#socket.write(PING);
      });
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}
