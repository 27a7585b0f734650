// By each library, with the code on the pages: a writer with an earlier token comes behind one with a later token; two clients add to one balance.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrivateRedis } from '../../packages/testkit/src/redis/find.mjs';
import { command } from '../ci/step.mjs';
import { root } from '../run.mjs';

/** The libraries of these names in the page, with what each needs. */
const needs = {
  Drizzle: ['drizzle-orm@0.45.4', 'pg@8.23.1'],
  TypeORM: ['typeorm@1.1.1', 'pg@8.23.1'],
  Prisma: ['tsx@4.23.15', 'pg@8.23.1', 'prisma@7.10.0', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.0'],
};

/** There is no PostgreSQL to try it on. */
export class PostgresMissing extends Error {}

/** @throws PostgresMissing */
export async function findStore() {
  const { tsImport } = await import('tsx/esm/api');
  const { findPostgres, Postgres } = await tsImport(
    '../../packages/holdfast/test/support/postgres.ts',
    import.meta.url,
  );
  const programs = findPostgres();
  if (programs === undefined)
    throw new PostgresMissing('no PostgreSQL is installed (Debian: apt-get install postgresql)');
  return () => new Postgres(programs);
}

/** What the server has for each library: the tables are as they were in the beginning. */
function makeTables(postgres) {
  postgres.sql(
    'DROP TABLE IF EXISTS report, account',
    'CREATE TABLE report (id int PRIMARY KEY, title text, fence bigint NOT NULL DEFAULT 0)',
    "INSERT INTO report (id, title) VALUES (1, 'old')",
    'CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)',
    'INSERT INTO account (id, balance) VALUES (7, 0)',
  );
}

/** What a page shows for a library: the code behind its name in bold letters. */
function shown(page, library, code) {
  const found = new RegExp(String.raw`\*\*${library}\*\*${code}`).exec(readFileSync(join(root, page), 'utf8'))?.[1];
  if (found === undefined) throw new Error(`${page} says nothing of ${library}`);
  return found;
}

async function checkWriters(library, { postgres, cwd }) {
  const statement = shown('docs/fenced-lock.md', library, ': `([^`]+)`');
  await command(process.execPath, ['writers.mjs', library, postgres.folder, statement], { cwd });
  if (postgres.sql('SELECT title FROM report')[0] !== 'again')
    throw new Error(`${library}: a stale writer has written`);
  process.stdout.write(`${library}: the later writers have written, and the stale one was told so\n`);
}

async function checkAdders(library, { postgres, redis, cwd }) {
  const block = shown('docs/recipes/transactions.md', library, String.raw`\n\n\`\`\`js\n([^]+?)\`\`\``);
  await command(process.execPath, ['adders.mjs', library, postgres.folder, redis.url, block], { cwd });
  const [balance] = postgres.sql('SELECT balance FROM account');
  if (balance !== '40') throw new Error(`${library}: 40 times one was added under the lock, and there is ${balance}`);
  process.stdout.write(
    `${library}: nothing that was added is lost, and what was done without the lock is rolled back\n`,
  );
}

/** holdfast as one file of this folder. */
async function bundleHoldfast(folder) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(root, 'packages/holdfast/src/index.ts')],
    outfile: join(folder, 'holdfast.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@holdfast/source'],
    external: ['ioredis'],
    logLevel: 'warning',
  });
}

/**
 * @param {Awaited<ReturnType<typeof findStore>>} start
 * @param {(keyof typeof needs)[]} libraries
 * @throws Error when a stale write is done, another one is not, or a transaction under a lock loses something
 */
export async function checkStores(start, libraries) {
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-stores-'));
  try {
    // TypeORM takes no later one.
    const packages = [...new Set(libraries.flatMap((library) => needs[library])), 'ioredis@5'];
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await command('npm', ['install', '--no-audit', '--no-fund', '--no-progress', ...packages], { cwd });
    for (const file of ['writers', 'adders', ...libraries.map((library) => library.toLowerCase())])
      copyFileSync(join(import.meta.dirname, `${file}.mjs`), join(cwd, `${file}.mjs`));
    await bundleHoldfast(cwd);
    const redis = await findPrivateRedis();
    const postgres = start();
    try {
      for (const library of libraries) {
        makeTables(postgres);
        await checkWriters(library, { postgres, cwd });
        await checkAdders(library, { postgres, redis, cwd });
      }
    } finally {
      postgres.stop();
      await redis.stop();
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
