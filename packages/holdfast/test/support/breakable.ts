import type { Network, Socket } from '@holdfast/memory';

/** A network whose connections for commands can be silent, and break. */
export class Breakable implements Network {
  silent = false;
  readonly #inner: Network;
  readonly #cuts = new Set<() => void>();

  constructor(inner: Network) {
    this.#inner = inner;
  }

  dial: Network['dial'] = (address, listener) => {
    const socket: Socket = this.#inner.dial(address, listener);
    const cut = () => {
      socket.destroy();
      listener.onClose(new Error('read ECONNRESET'));
    };
    return {
      ...socket,
      send: (request) => {
        if (request[0]?.toLowerCase() === 'evalsha') this.#cuts.add(cut);
        if (!this.silent || !this.#cuts.has(cut)) socket.send(request);
      },
    };
  };

  breakCommands(): void {
    for (const cut of this.#cuts) cut();
    this.#cuts.clear();
  }
}
