import { rejection } from '../scopes/settling.js';

/**
 * What `send` comes to. Monitoring tools wrap the methods of ioredis, and may call code of the user in there that throws: then nothing was sent, and
 * whoever waits for the answer is told so as of any other failure.
 */
export function attempt<T>(send: () => Promise<T>): Promise<T> {
  try {
    return send();
  } catch (error) {
    return rejection(error);
  }
}
