// A writer with an earlier token comes behind one with a later token, by each library: its statement is the one on the page.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../ci/step.mjs';
import { root } from '../run.mjs';

/** The libraries of these names in the page, with what each needs. */
const needs = {
  Drizzle: ['drizzle-orm@0.45.4', 'pg@8.23.1'],
  TypeORM: ['typeorm@1.1.1', 'pg@8.23.1'],
  Prisma: ['tsx@4.23.15', 'prisma@7.10.0', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.0'],
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

/**
 * @param {Awaited<ReturnType<typeof findStore>>} start
 * @param {(keyof typeof needs)[]} libraries
 * @throws Error when a stale write is done, or another one is not
 */
export async function checkStores(start, libraries) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-stores-'));
  try {
    const packages = [...new Set(libraries.flatMap((library) => needs[library]))];
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    await command('npm', ['install', '--no-audit', '--no-fund', '--no-progress', ...packages], { cwd: folder });
    const postgres = start();
    try {
      const page = readFileSync(join(root, 'docs/fenced-lock.md'), 'utf8');
      for (const library of libraries) {
        postgres.sql(
          'DROP TABLE IF EXISTS report',
          'CREATE TABLE report (id int PRIMARY KEY, title text, fence bigint NOT NULL DEFAULT 0)',
          "INSERT INTO report (id, title) VALUES (1, 'old')",
        );
        const statement = new RegExp(`\\*\\*${library}\\*\\*: \`([^\`]+)\``).exec(page)?.[1];
        if (statement === undefined) throw new Error(`docs/fenced-lock.md says nothing of ${library}`);
        for (const file of ['writers.mjs', `${library.toLowerCase()}.mjs`]) {
          copyFileSync(join(import.meta.dirname, file), join(folder, file));
        }
        await command(process.execPath, ['writers.mjs', library, postgres.folder, statement], { cwd: folder });
        if (postgres.sql('SELECT title FROM report')[0] !== 'again')
          throw new Error(`${library}: a stale writer has written`);
        process.stdout.write(`${library}: the later writers have written, and the stale one was told so\n`);
      }
    } finally {
      postgres.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
