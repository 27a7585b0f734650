// node statements.mjs DRIVER SERVER INSERT CLAIM UPDATE: the statements of the page for MySQL and MariaDB, and what the page says of `affectedRows`.
import assert from 'node:assert/strict';
import { EARLIER, LATER } from './tokens.mjs';

const [driver, server, insert, claim, update] = process.argv.slice(2);
const { open } = await import(`./${driver}.mjs`);
const upsert =
  'INSERT INTO fence (name, token) VALUES (?, ?) ON DUPLICATE KEY UPDATE token = IF(token <= VALUES(token), VALUES(token), token)';

async function check({ found, close }) {
  const claims = (token) => found(claim, [token, 'claimed', token]);
  const writes = (title, token) => found(update, [title, token, 1, token]);
  try {
    await found(insert, ['claimed']);
    assert.deepEqual([await claims(LATER), await claims(LATER), await claims(EARLIER)], [1, 1, 0]);
    assert.deepEqual([await writes('a', LATER), await writes('a', LATER), await writes('b', EARLIER)], [1, 1, 0]);
    // Why the page has no upsert: it tells a stale writer of one row.
    await found(upsert, ['upserted', LATER]);
    assert.equal(await found(upsert, ['upserted', EARLIER]), 1);
  } finally {
    await close();
  }
}

await check(open(JSON.parse(server)));
