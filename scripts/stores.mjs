// npm run stores                what docs/fenced-lock.md and docs/recipes/transactions.md say of databases, by Drizzle, TypeORM and Prisma on a real PostgreSQL
// npm run stores -- --short     without Prisma, whose tools are 300 MB
//
// Installs the libraries in a folder of its own. Needs PostgreSQL's programs (Debian: apt-get install postgresql). Exit code 69 without them.
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { checkStores, findStore, PostgresMissing } from './stores/check.mjs';

try {
  const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
  await prepare();
  await checkStores(await findStore(), values.short ? ['Drizzle', 'TypeORM'] : ['Drizzle', 'TypeORM', 'Prisma']);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof PostgresMissing ? 69 : 1;
}
