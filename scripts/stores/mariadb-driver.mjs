import mariadb from 'mariadb';

export function open(server) {
  const pool = mariadb.createPool(server);
  return {
    found: async (statement, values) => (await pool.query(statement, values)).affectedRows,
    close: () => pool.end(),
  };
}
