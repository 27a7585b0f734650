import { rejection } from '../scopes/settling.js';

/**
 * What `send` comes to, as a promise in any case. Monitoring tools wrap the methods of ioredis: such a wrapper may throw, since it calls code of the user,
 * or return nothing. Nobody knows then whether the command was sent, so it is treated as one whose answer was lost.
 *
 * @param own - the promise of the command itself. Where the wrapper failed nobody waits for it, and it must not reject unhandled.
 */
export function attempt<T>(send: () => Promise<T>, own?: Promise<unknown>): Promise<T> {
  try {
    const sent: Promise<T> | undefined = send();
    if (typeof sent?.then !== 'function') throw new Error('A wrapper of ioredis returned no promise');
    return Promise.resolve(sent);
  } catch (error) {
    own?.catch(() => undefined);
    return rejection(error);
  }
}
