// What the pages on fenced locks and transactions say of databases, where there is a PostgreSQL. Prisma is left to `npm run stores`: its tools are 300 MB.
import { checkStores, findStore, PostgresMissing } from '../stores/check.mjs';

/** @param {import('./step.mjs').Tally} tally */
export async function checkShortStores(tally) {
  const name =
    'Drizzle and TypeORM on PostgreSQL: stale writers are refused, nothing is lost under a lock (npm run stores -- --short)';
  let start;
  try {
    start = await findStore();
  } catch (error) {
    if (error instanceof PostgresMissing) tally.skip(name, error.message);
    else tally.fail(`${name}: ${error.message}`);
    return;
  }
  await tally.check(name, () => checkStores(start, ['Drizzle', 'TypeORM']));
}
