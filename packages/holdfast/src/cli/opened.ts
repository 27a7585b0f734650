import type { Cluster, Redis } from 'ioredis';

/** What is open, and is not to be kept when it is no more: in a long outage it is asked again and again. */
export class Opened<C extends Redis | Cluster> {
  readonly #connections = new Set<C>();

  add(connection: C): C {
    this.#connections.add(connection);
    return connection;
  }

  end(connection: C): void {
    this.#connections.delete(connection);
    connection.disconnect();
  }

  /** What `ask` gives; where that is nothing, or it throws, the connection is ended. */
  async unlessInVain<T>(connection: C, ask: () => Promise<T>): Promise<T> {
    let isInVain = true;
    try {
      const found = await ask();
      isInVain = found === undefined;
      return found;
    } finally {
      if (isInVain) this.end(connection);
    }
  }

  close(): void {
    for (const connection of this.#connections) this.end(connection);
  }
}
