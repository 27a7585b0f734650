/**
 * The way from a client to a server: the place where a network can be put.
 *
 * A network delivers what was sent on one connection in the order in which it was sent, or ends the connection; between connections it promises
 * nothing. {@link direct} is the fastest one: nothing is lost, and everything arrives in a later microtask.
 */

import type { Frame, Request } from '../server/connection.js';
import type { MemoryServer } from '../server/memory-server.js';

/** Where a client wants to go, as its options say. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The client's end of a connection, told of what comes from the network. Never called within a call of {@link Socket}, or of `dial`. */
export interface SocketListener {
  /** It is there. */
  onOpen(): void;
  /** Frames in the order in which the server sent them. */
  onFrame(frame: Frame): void;
  /** It is over, for the first and last time; `error`, where it broke or never came about, as a socket of Node would say it. */
  onClose(error?: Error): void;
}

/** A connection that a client has, or tries to make. */
export interface Socket {
  send(request: Request): void;
  /** The client ends it in order: what has been sent still arrives. {@link SocketListener.onClose} follows, if the network gets it through. */
  end(): void;
  /** The client lets go of it: nothing more is heard, {@link SocketListener.onClose} neither. */
  destroy(): void;
}

/** See the module comment. */
export interface Network {
  /** Begins to connect. */
  dial(address: Address, listener: SocketListener): Socket;
}

/** Runs a step later, in the order in which the steps were given. */
export type Defer = (step: () => void) => void;

/** In a microtask, whatever a test's fake timers have replaced. */
export const soon: Defer = (step) => void Promise.resolve().then(step);

/** See the module comment. `serverAt` may answer differently from one connection to the next; undefined: nothing listens there. */
export function direct(serverAt: (address: Address) => MemoryServer | undefined, defer: Defer = soon): Network {
  return { dial: (address, listener) => dial(serverAt(address), address, listener, defer) };
}

function dial(
  server: MemoryServer | undefined,
  { host, port }: Address,
  listener: SocketListener,
  defer: Defer,
): Socket {
  let open = true;
  const close = (error?: Error) => {
    if (!open) return;
    open = false;
    connection?.close();
    listener.onClose(error);
  };
  const connection = server?.accept({
    receive: (frame) => defer(() => open && listener.onFrame(frame)),
    hungUp: () => defer(() => close()),
  });
  defer(() => {
    if (!open) return;
    if (connection === undefined) close(refused(host, port));
    else listener.onOpen();
  });
  return {
    send: (request) => defer(() => connection?.execute(request)),
    end: () => defer(() => close()),
    destroy: () => {
      open = false;
      // What has been sent is executed before.
      defer(() => connection?.close());
    },
  };
}

/** What a socket says when nothing listens at an address. */
export function refused(host: string, port: number): Error {
  return Object.assign(new Error(`connect ECONNREFUSED ${host}:${port}`), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
    address: host,
    port,
  });
}
