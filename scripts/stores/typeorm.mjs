import { DataSource, EntitySchema, LessThanOrEqual } from 'typeorm';

const Report = new EntitySchema({
  name: 'report',
  columns: { id: { type: 'int', primary: true }, title: { type: 'text' }, fence: { type: 'bigint' } },
});

export async function open({ host, user, database }) {
  const source = new DataSource({ type: 'postgres', host, username: user, database, entities: [Report] });
  await source.initialize();
  return {
    scope: { repository: source.getRepository(Report), LessThanOrEqual },
    isStale: (affected) => affected === 0,
    close: () => source.destroy(),
  };
}
