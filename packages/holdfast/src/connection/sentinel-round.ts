/**
 * Why no sentinel names the master. ioredis asks them one after the other, and tells what the last one has said: here all are heard.
 *
 * What one refuses for good counts, whatever the others say. That there is no such master counts when all have said so: one that is
 * new does not know it yet, and one that cannot be asked may.
 */

import type { Redis } from 'ioredis';
import { isLasting, unnamedMaster } from './trouble.js';

/** Listens. Returns how to learn what a round without success has come to; undefined for any other trouble. */
export function hearSentinels(redis: Redis): (trouble: Error) => Error | undefined {
  const { name, sentinels } = redis.options;
  let said: string[] = [];
  redis.on('connecting', () => {
    said = [];
  });
  redis.on('sentinelError', ({ message }: Error) => said.push(message));
  return (trouble) => {
    if (!trouble.message.startsWith(unnamedMaster)) return undefined;
    const round = said;
    said = [];
    // After a success ioredis goes on behind that sentinel: the round is not a whole one then.
    const isWhole = round.length >= (sentinels as object[]).length;
    if (isWhole && round.every((text) => /No such master|: null$/.test(text)))
      return new Error(`No such master "${name}"`);
    const told = round.map((text) => new Error(text.replace(/^.* because/s, unnamedMaster)));
    return told.find(isLasting) ?? trouble;
  };
}
