import { and, eq, lte } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, integer, pgTable, text } from 'drizzle-orm/pg-core';
import pg from 'pg';

const report = pgTable('report', {
  id: integer('id').primaryKey(),
  title: text('title'),
  fence: bigint('fence', { mode: 'number' }).notNull(),
});

const account = pgTable('account', { id: integer('id').primaryKey(), balance: integer('balance').notNull() });

const fence = pgTable('fence', {
  name: text('name').primaryKey(),
  token: bigint('token', { mode: 'number' }).notNull(),
});

export function open(server) {
  const pool = new pg.Pool(server);
  return {
    scope: { db: drizzle(pool), report, account, fence, and, eq, lte },
    isStale: (rows) => rows.length === 0,
    close: () => pool.end(),
  };
}
