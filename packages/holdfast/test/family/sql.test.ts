/** The SQL of docs/fenced-lock.md on a real PostgreSQL: the text of the page, with values in place of its parameters. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPostgres, Postgres } from '../support/postgres.js';

const bin = findPostgres();
const page = readFileSync(new URL('../../../../docs/fenced-lock.md', import.meta.url), 'utf8');
const [claims = '', writes = ''] = [...page.matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => sql);
const table = /Once: (.+)$/m.exec(claims)?.[1] ?? '';
const statementsOf = (sql: string) =>
  sql
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim());
const [claim = ''] = statementsOf(claims);
const [update = '', upsert = ''] = statementsOf(writes);

const filled = (statement: string, ...values: (string | number)[]) =>
  statement.replaceAll(/\$(\d)/g, (_, place: string) => {
    const value = values[Number(place) - 1];
    return typeof value === 'string' ? `'${value}'` : String(value);
  });

/** As tokens by time are: the later one is higher. */
const EARLIER = 1_795_385_101_668_533;
const LATER = 1_795_385_102_693_243;

(bin === undefined ? describe.skip : describe)(
  'the SQL for stores, on PostgreSQL (skipped where it is not installed)',
  () => {
    let postgres: Postgres;
    beforeAll(() => {
      postgres = new Postgres(bin as string);
      postgres.sql(
        'CREATE TABLE report (id int PRIMARY KEY, title text, fence bigint NOT NULL DEFAULT 0)',
        table,
        "INSERT INTO report (id, title) VALUES (1, 'old')",
      );
    }, 60_000);
    afterAll(() => postgres?.stop());

    const report = (id: number) => postgres.sql(`SELECT title, fence FROM report WHERE id = ${id}`);

    it('changes a row for a token that is not below the one that wrote it, and no row for an earlier one', () => {
      expect(postgres.sql(filled(update, 'first', LATER, 1))).toEqual(['UPDATE 1']);
      expect(postgres.sql(filled(update, 'again', LATER, 1))).toEqual(['UPDATE 1']);
      expect(postgres.sql(filled(update, 'stale', EARLIER, 1))).toEqual(['UPDATE 0']);
      expect(report(1)).toEqual([`again|${LATER}`]);
    });

    it('inserts a row that is not there, and changes one that is there likewise', () => {
      expect(postgres.sql(filled(upsert, 'new', EARLIER, 2))).toEqual(['INSERT 0 1']);
      expect(postgres.sql(filled(upsert, 'newer', LATER, 2))).toEqual(['INSERT 0 1']);
      expect(postgres.sql(filled(upsert, 'stale', EARLIER, 2))).toEqual(['INSERT 0 0']);
      expect(report(2)).toEqual([`newer|${LATER}`]);
    });

    it('lets a transaction claim the row of the lock, again too, which a stale one cannot', () => {
      for (let time = 0; time < 2; time++) expect(postgres.sql(filled(claim, 'report', LATER))).toEqual(['INSERT 0 1']);
      expect(postgres.sql(filled(claim, 'report', EARLIER))).toEqual(['INSERT 0 0']);
      expect(postgres.sql('SELECT token FROM fence')).toEqual([String(LATER)]);
    });
  },
);
