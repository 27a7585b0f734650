import { rejection } from '../scopes/settling.js';

/**
 * What `send` comes to. Monitoring tools wrap the methods of ioredis, and may call code of the user in there that throws, or forget what they were to
 * return: then the command has failed as any other that has no answer, whether it was sent or not. `own`: its promise, which nobody else has then.
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
