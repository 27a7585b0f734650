import mysql from 'mysql2/promise';

export function open(server) {
  const pool = mysql.createPool(server);
  return {
    scope: { pool },
    found: async (statement, values) => (await pool.query(statement, values))[0].affectedRows,
    close: () => pool.end(),
  };
}
