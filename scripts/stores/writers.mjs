// node writers.mjs LIBRARY SERVER STATEMENT: three writers with tokens as they are by time; the third is stale.
import assert from 'node:assert/strict';
import { EARLIER, LATER } from './tokens.mjs';

const [library, server, statement] = process.argv.slice(2);
const { open } = await import(`./${library.toLowerCase()}.mjs`);
const { scope, tokenOf = (token) => token, isStale, close } = await open(JSON.parse(server));

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
const [result] = /(?<=const \{? ?)\w+/.exec(statement);
const names = [...Object.keys(scope), 'id', 'title', 'token'];
const save = new AsyncFunction(...names, `${statement}; return ${result};`);
const write = async (title, token) => isStale(await save(...Object.values(scope), 1, title, tokenOf(token)));

try {
  assert.equal(await write('first', LATER), false);
  assert.equal(await write('again', LATER), false);
  assert.equal(await write('stale', EARLIER), true);
} finally {
  await close();
}
