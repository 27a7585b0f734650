// npm run stores                what docs/fenced-lock.md and docs/recipes/transactions.md say of databases, by Drizzle, TypeORM and Prisma on a real PostgreSQL, and by
//                               mysql2, mariadb and TypeORM on a real MariaDB
// npm run stores -- --short     without Prisma, whose tools are 300 MB
//
// Installs the libraries in a folder of its own. Needs the programs of PostgreSQL or MariaDB (Debian: apt-get install postgresql mariadb-server), and says which are
// missing. Exit code 69 without either.
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { checkStores } from './stores/check.mjs';
import { findServers } from './stores/servers.mjs';

try {
  const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } });
  await prepare();
  const servers = await findServers();
  for (const line of servers.missing) process.stderr.write(`skipped: ${line}\n`);
  if (servers.missing.length === 2) process.exitCode = 69;
  else await checkStores(servers, values.short ? ['Drizzle', 'TypeORM'] : ['Drizzle', 'TypeORM', 'Prisma']);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
