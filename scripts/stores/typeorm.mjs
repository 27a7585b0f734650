import { DataSource, EntitySchema, LessThanOrEqual } from 'typeorm';

const Report = new EntitySchema({
  name: 'report',
  columns: { id: { type: 'int', primary: true }, title: { type: 'text' }, fence: { type: 'bigint' } },
});

const Account = new EntitySchema({
  name: 'account',
  columns: { id: { type: 'int', primary: true }, balance: { type: 'int' } },
});

export async function open({ user, ...server }) {
  const type = server.socketPath === undefined ? 'postgres' : 'mysql';
  const source = new DataSource({ type, ...server, username: user, entities: [Report, Account] });
  await source.initialize();
  return {
    scope: { source, repository: source.getRepository(Report), LessThanOrEqual },
    isStale: (affected) => affected === 0,
    close: () => source.destroy(),
  };
}
