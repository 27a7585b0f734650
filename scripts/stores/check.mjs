// By each library, with the code on the pages: a writer with an earlier token comes behind one with a later token; two clients add to one balance; a holder is
// stopped before its commit for longer than its lease.
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrivateRedis } from '../../packages/testkit/src/redis/find.mjs';
import { bundle } from '../bundle.mjs';
import { command } from '../ci/step.mjs';
import { root } from '../run.mjs';
import { blockOf, claimedBlockOf, statementsForMysql, statementOf } from './pages.mjs';

/** The libraries of these names in the pages, with what each needs. */
const needs = {
  Drizzle: ['drizzle-orm@0.45.4', 'pg@8.23.1'],
  TypeORM: ['typeorm@1.1.1', 'pg@8.23.1', 'mysql2@3.24.6'],
  Prisma: ['tsx@4.23.15', 'pg@8.23.1', 'prisma@7.10.0', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.0'],
  mysql2: ['mysql2@3.24.6'],
  'mariadb-driver': ['mariadb@3.5.4'],
};

const tables = [
  'DROP TABLE IF EXISTS report, account, fence',
  'CREATE TABLE report (id int PRIMARY KEY, title text, fence bigint NOT NULL DEFAULT 0)',
  "INSERT INTO report (id, title) VALUES (1, 'old')",
  'CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)',
  'INSERT INTO account (id, balance) VALUES (7, 0)',
];

const say = (text) => process.stdout.write(`${text}\n`);

/** A database that runs, with a Redis beside it, and the folder of the scripts. */
class Checks {
  #store;
  #redis;
  #cwd;

  constructor({ store, redis, cwd }) {
    this.#store = store;
    this.#redis = redis;
    this.#cwd = cwd;
  }

  makeTables(fence) {
    this.#store.sql(...tables, fence);
  }

  async writers(library) {
    await this.#run('writers', library, statementOf(library));
    const [title] = this.#store.sql('SELECT title FROM report');
    if (title !== 'again') throw new Error(`${library}: a stale writer has written`);
    say(`${library}: the later writers have written, and the stale one was told so`);
  }

  async statements(driver) {
    const { insert, claim, update } = statementsForMysql();
    await this.#run('statements', driver, insert, claim, update);
    say(`${driver}: the statements for MySQL count the rows found, and none for a stale writer`);
  }

  async adders(library, block) {
    await this.#run('adders', library, this.#redis.url, block);
    const balance = this.#balance();
    if (balance !== 40) throw new Error(`${library}: 40 times one was added under the lock, and there is ${balance}`);
    say(`${library}: nothing that was added is lost, and what was done without the lock is rolled back`);
  }

  /** @param {{ balance: number, next: string }} expected  what both have made of it, and what the next holder is told */
  async stopped(library, block, expected) {
    const before = this.#balance();
    const told = JSON.parse(await this.#run('stopped', library, this.#redis.url, block));
    const found = { balance: this.#balance() - before, ...told };
    // Its commit came late: it is told of the loss, and what it has added counts.
    const all = { ...expected, stopped: 'LOCK_LOST' };
    for (const [what, value] of Object.entries(all)) {
      if (found[what] === value) continue;
      throw new Error(`${library}: a holder was stopped before its commit; ${JSON.stringify(found)} and not ${value}`);
    }
  }

  #balance() {
    return Number(this.#store.sql('SELECT balance FROM account')[0]);
  }

  #run(script, library, ...args) {
    const given = [`${script}.mjs`, library, JSON.stringify(this.#store.server), ...args];
    const capture = script === 'stopped' ? { capture: 'stdout' } : {};
    return command(process.execPath, given, { cwd: this.#cwd, ...capture });
  }
}

async function checkOnPostgres(checks, store, libraries) {
  for (const library of libraries) {
    checks.makeTables('CREATE TABLE fence (name text PRIMARY KEY, token bigint NOT NULL)');
    await checks.writers(library);
    await checks.adders(library, blockOf(library));
    await checks.stopped(library, claimedBlockOf(library), { balance: 20, next: 'done' });
    say(`${library}: with a claim, nothing is lost to a holder that was stopped before its commit`);
  }
  // The check sees what it looks for: without the claim what the stopped holder has added is written over.
  await checks.stopped('Drizzle', blockOf('Drizzle'), { balance: 10, next: 'done' });
  store.sql("ALTER DATABASE postgres SET default_transaction_isolation = 'repeatable read'");
  await checks.stopped('Drizzle', claimedBlockOf('Drizzle'), { balance: 10, next: '40001' });
  say('REPEATABLE READ: a claim that has waited ends with 40001');
}

async function checkOnMariadb(checks, store) {
  for (const driver of ['mysql2', 'mariadb-driver']) {
    checks.makeTables(statementsForMysql().table);
    await checks.statements(driver);
  }
  checks.makeTables(statementsForMysql().table);
  await checks.writers('TypeORM');
  for (const isolation of ['REPEATABLE READ', 'READ COMMITTED', 'SERIALIZABLE']) {
    checks.makeTables(statementsForMysql().table);
    store.sql(`SET GLOBAL TRANSACTION ISOLATION LEVEL ${isolation}`);
    await checks.stopped('mysql2', blockOf('mysql2'), { balance: 20, next: 'done' });
    say(`mysql2, ${isolation}: with a claim, nothing is lost to a holder that was stopped before its commit`);
  }
}

async function withScripts(libraries, work) {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-stores-'));
  try {
    // TypeORM takes no later one.
    const packages = [...new Set(libraries.flatMap((library) => needs[library])), 'ioredis@5'];
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await command('npm', ['install', '--no-audit', '--no-fund', '--no-progress', ...packages], { cwd });
    for (const file of readdirSync(import.meta.dirname)) copyFileSync(join(import.meta.dirname, file), join(cwd, file));
    await bundle(join(root, 'packages/holdfast/src/index.ts'), join(cwd, 'holdfast.mjs'));
    const redis = await findPrivateRedis();
    try {
      await work({ cwd, redis });
    } finally {
      await redis.stop();
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/**
 * @param {import('./servers.mjs').Servers} start  what is installed
 * @param {('Drizzle' | 'TypeORM' | 'Prisma')[]} libraries  for PostgreSQL
 * @throws Error when a stale write is done, another one is not, or a transaction under a lock loses something
 */
export async function checkStores({ startPostgres, startMariadb }, libraries) {
  const forMariadb = startMariadb === undefined ? [] : ['TypeORM', 'mysql2', 'mariadb-driver'];
  await withScripts([...(startPostgres === undefined ? [] : libraries), ...forMariadb], async (place) => {
    for (const [start, check] of [
      [startPostgres, checkOnPostgres],
      [startMariadb, checkOnMariadb],
    ]) {
      if (start === undefined) continue;
      const store = await start();
      try {
        await check(new Checks({ store, ...place }), store, libraries);
      } finally {
        await store.stop();
      }
    }
  });
}
