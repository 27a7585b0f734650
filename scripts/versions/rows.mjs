// What is run: every server with the newest ioredis, every ioredis and protocol on an old, a middle and a new server, and
// every Node. Each pair that matters stands in a row, not each combination.

/** @type {{ name: string, server: keyof typeof import('./servers.mjs').servers, ioredis: '5' | '6', resp: '2' | '3', node?: string }[]} */
export const rows = [
  { server: 'redis-6.2', ioredis: '6', resp: '3' },
  { server: 'redis-6.2', ioredis: '5', resp: '2' },
  { server: 'system', ioredis: '6', resp: '3' },
  { server: 'system', ioredis: '6', resp: '2' },
  { server: 'system', ioredis: '5', resp: '2' },
  { server: 'redis-trixie', ioredis: '6', resp: '3', node: '22' },
  { server: 'redis-sid', ioredis: '6', resp: '3', node: '24' },
  { server: 'redis-sid', ioredis: '5', resp: '2' },
  { server: 'redis-experimental', ioredis: '6', resp: '3', node: '26' },
  { server: 'redis-experimental', ioredis: '5', resp: '2' },
  { server: 'valkey-trixie', ioredis: '6', resp: '3' },
  { server: 'valkey-sid', ioredis: '6', resp: '3', node: '26' },
  { server: 'valkey-sid', ioredis: '6', resp: '2', node: '24' },
  { server: 'valkey-sid', ioredis: '5', resp: '2', node: '22' },
].map((row) => ({ ...row, name: `${row.server} ioredis-${row.ioredis} RESP${row.resp} node-${row.node ?? 'own'}` }));
