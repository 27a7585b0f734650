// node writers.mjs LIBRARY SOCKET-FOLDER STATEMENT: three writers with tokens as they are by time; the third is stale.
import assert from 'node:assert/strict';

const [library, host, statement] = process.argv.slice(2);
const { open } = await import(`./${library.toLowerCase()}.mjs`);
const {
  scope,
  tokenOf = (token) => token,
  isStale,
  close,
} = await open({ host, user: 'postgres', database: 'postgres' });

const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
const [result] = /(?<=const \{? ?)\w+/.exec(statement);
const names = [...Object.keys(scope), 'id', 'title', 'token'];
const save = new AsyncFunction(...names, `${statement}; return ${result};`);
const write = async (title, token) => isStale(await save(...Object.values(scope), 1, title, tokenOf(token)));

try {
  assert.equal(await write('first', 1_795_385_102_693_243), false);
  assert.equal(await write('again', 1_795_385_102_693_243), false);
  assert.equal(await write('stale', 1_795_385_101_668_533), true);
} finally {
  await close();
}
