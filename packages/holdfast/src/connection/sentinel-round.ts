/**
 * Why no sentinel names the master. ioredis asks them one after the other, and tells what the last one has said: here all are heard.
 *
 * What one refuses for good counts, whatever the others say. That there is no such master counts when all have said so: one that is
 * new does not know it yet, and one that cannot be asked may. So does what is wrong with one server only, its certificate or that it is no sentinel.
 *
 * Of one whose connection failed (a certificate, a password with ioredis 5) ioredis says only that it is closed: why, our own connection to it knows.
 */

import type { Redis } from 'ioredis';
import { closedConnection, isLasting, unnamedMaster } from './trouble.js';

/** What is wrong with one server, and need not be with the others. */
const ofOneServer = /unknown command|certificate/i;

/** What a round without success has come to; undefined for any other trouble. */
export type SentinelRound = (trouble: Error) => Error | undefined;

/** Listens. @param troubleWith - what was wrong with our own connection to the sentinel at `host:port` lately. */
export function hearSentinels(redis: Redis, troubleWith: (address: string) => Error | undefined): SentinelRound {
  const { name, sentinels } = redis.options;
  let said: string[] = [];
  // After a success ioredis goes on behind that sentinel, which is asked again only in the next round.
  let isWhole = true;
  redis.on('connect', () => {
    isWhole = false;
  });
  redis.on('connecting', () => {
    said = [];
  });
  redis.on('sentinelError', ({ message }: Error) => {
    const [, address = ''] = /sentinel (\S+) because/.exec(message) ?? [];
    said.push(message.replace(closedConnection, () => troubleWith(address)?.message ?? closedConnection));
  });
  return (trouble) => {
    const isUnnamed = trouble.message.startsWith(unnamedMaster);
    const wasWhole = isWhole && said.length >= (sentinels as object[]).length;
    isWhole = isUnnamed;
    if (!isUnnamed) return undefined;
    const round = said;
    said = [];
    // What was wrong with the master that one of them has named has been said.
    if (!wasWhole) return new Error(unnamedMaster);
    if (round.every((text) => /No such master|: null$/.test(text))) return new Error(`No such master "${name}"`);
    const told = round
      .filter((text) => text.includes(' because '))
      .map((text) => new Error(text.replace(/^.* because/s, unnamedMaster)));
    const ofAll = told.filter(({ message }) => !ofOneServer.test(message));
    return ofAll.find(isLasting) ?? ofAll.at(-1) ?? told.at(-1);
  };
}
