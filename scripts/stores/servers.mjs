// The databases that are installed here.
import { Mariadb, mariadbIsInstalled } from './mariadb.mjs';

/** @typedef {{ server: object, sql(...statements: string[]): string[], stop(): void | Promise<void> }} Store */
/** @typedef {{ startPostgres?: () => Store, startMariadb?: () => Promise<Store>, missing: string[] }} Servers */

/**
 * How each is started, and a line for each that is not here.
 *
 * @returns {Promise<Servers>}
 */
export async function findServers() {
  const { tsImport } = await import('tsx/esm/api');
  const { findPostgres, Postgres } = await tsImport(
    '../../packages/holdfast/test/support/postgres.ts',
    import.meta.url,
  );
  const programs = findPostgres();
  return {
    startPostgres: programs === undefined ? undefined : () => new Postgres(programs),
    startMariadb: mariadbIsInstalled() ? () => Mariadb.start() : undefined,
    missing: [
      ...(programs === undefined ? ['no PostgreSQL is installed (Debian: apt-get install postgresql)'] : []),
      ...(mariadbIsInstalled() ? [] : ['no MariaDB is installed (Debian: apt-get install mariadb-server)']),
    ],
  };
}
