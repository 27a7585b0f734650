// What the pages on fenced locks and transactions say of databases, where there is a PostgreSQL or a MariaDB. Prisma is left to `npm run stores`: its tools are 300 MB.
import { checkStores } from '../stores/check.mjs';
import { findServers } from '../stores/servers.mjs';

/** @param {import('./step.mjs').Tally} tally */
export async function checkShortStores(tally) {
  const name =
    'Drizzle and TypeORM on PostgreSQL, mysql2 and TypeORM on MariaDB: stale writers are refused, nothing is lost under a lock (npm run stores -- --short)';
  let servers;
  try {
    servers = await findServers();
  } catch (error) {
    tally.fail(`${name}: ${error.message}`);
    return;
  }
  for (const line of servers.missing) tally.skip(name, line);
  if (servers.missing.length < 2) await tally.check(name, () => checkStores(servers, ['Drizzle', 'TypeORM']));
}
