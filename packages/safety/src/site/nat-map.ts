import type { Address } from './reach.js';
import type { Fronts } from './site.js';

/** For ioredis: where a server that is announced under its own address is found. */
export function natMapOf(fronts: Fronts): Record<string, Address> {
  return Object.fromEntries(
    [...fronts].map(([server, { host, port }]) => [`${server.host}:${server.port}`, { host, port }]),
  );
}
