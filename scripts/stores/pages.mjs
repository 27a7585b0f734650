// What the pages show of databases.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

const fenced = 'docs/fenced-lock.md';
const transactions = 'docs/recipes/transactions.md';

function shown(page, what, pattern) {
  const found = new RegExp(pattern).exec(readFileSync(join(root, page), 'utf8'))?.[1];
  if (found === undefined) throw new Error(`${page} says nothing of ${what}`);
  return found;
}

const block = String.raw`\n\n\`\`\`js\n([^]+?)\`\`\``;

/** The guarded write of a library, which depends on no read. */
export const statementOf = (library) => shown(fenced, library, String.raw`\*\*${library}\*\*: \`([^\`]+)\``);

/** What adds to a balance in a transaction of a library. */
export const blockOf = (library) => shown(transactions, library, String.raw`\*\*${library}\*\*:?${block}`);

/** The same, with the lock claimed in the database first. */
export function claimedBlockOf(library) {
  const claim = shown(transactions, `a claim by ${library}`, String.raw`\*\*${library}\*\*, first:${block}`);
  const whole = blockOf(library).replace(/(async \(\w+\) => \{\n)/, (begin) => begin + claim);
  if (!whole.includes(claim)) throw new Error(`${transactions}: there is no transaction of ${library} to claim in`);
  return whole;
}

/** Those for MySQL and MariaDB. */
export function statementsForMysql() {
  const sql = shown(fenced, 'MySQL', '### MySQL[^]*?```sql\n([^]*?)```');
  const table = /^-- once: (.+)$/m.exec(sql)?.[1];
  const [insert, claim, update] = sql
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim());
  return { table, insert, claim, update };
}
