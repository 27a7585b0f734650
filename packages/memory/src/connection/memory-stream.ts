import { EventEmitter } from 'node:events';

/** What holdfast looks at of a connection's socket. */
export class MemoryStream extends EventEmitter {
  writable = true;
  destroyed = false;
  readonly remoteAddress = undefined;
  /** The connection is over. */
  close: ((error?: Error) => void) | undefined;

  get closed(): boolean {
    return this.destroyed;
  }

  /** Packets make no difference in memory. */
  cork(): void {}

  uncork(): void {}
}
