import { createLockClient } from 'holdfast';
import type { Client } from './votes.js';

/** @throws TypeError when it is no list: redlock takes one of several clients, and createLockClient a single one. */
export function setOf(clients: Iterable<Client>): Set<Client> {
  if (Symbol.iterator in Object(clients)) return new Set(clients);
  throw new TypeError('Redlock: the clients come as a list, also when it is one: new Redlock([redis])');
}

/** @throws TypeError when it is not exactly one, or none that could be told to quit. */
export function onlyClient(clients: ReadonlySet<Client>): Client {
  for (const client of clients) checkClient(client);
  const [client, ...others] = clients;
  if (client === undefined) throw new TypeError('Redlock: at least one client is needed');
  if (others.length > 0) {
    throw new TypeError(
      `Redlock: ${clients.size} clients were given, and locks of this class are on one. For locks by majority use createRedLockClient of holdfast`,
    );
  }
  return client;
}

/** @throws TypeError when no lock can be had on it, as with one of another library: found by a lock client that is made for this, and closed before any I/O. */
export function checkUsable(client: Client): void {
  try {
    void createLockClient({ redis: client }).close();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TypeError(`Redlock: this client cannot be used: ${why}`, { cause: error });
  }
}

/** @throws TypeError for what createLockClient would take and redlock does not: only a client can be told to quit. */
function checkClient(client: unknown): void {
  if (typeof client === 'object' && client !== null && 'duplicate' in client) return;
  throw new TypeError(
    `Redlock: each client must be a Redis or a Cluster of ioredis, got ${typeof client}; for a URL or options pass new Redis(…)`,
  );
}
