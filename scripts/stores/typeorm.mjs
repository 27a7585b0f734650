import { DataSource, EntitySchema, LessThanOrEqual } from 'typeorm';

const Report = new EntitySchema({
  name: 'report',
  columns: { id: { type: 'int', primary: true }, title: { type: 'text' }, fence: { type: 'bigint' } },
});

const Account = new EntitySchema({
  name: 'account',
  columns: { id: { type: 'int', primary: true }, balance: { type: 'int' } },
});

export async function open({ host, user, database }) {
  const source = new DataSource({ type: 'postgres', host, username: user, database, entities: [Report, Account] });
  await source.initialize();
  return {
    scope: { source, repository: source.getRepository(Report), LessThanOrEqual },
    isStale: (affected) => affected === 0,
    close: () => source.destroy(),
  };
}
