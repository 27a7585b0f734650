import { afterEach } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import { createTestClient, createTestServer } from 'holdfast/testing';

const open: LockClient[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

/** Clients of one server in memory, whose time the test moves; closed when the test has ended. */
export function processes(count: number, options: Partial<LockClientOptions> = {}) {
  const server = createTestServer();
  const clients = Array.from({ length: count }, () => createTestClient({ server, ...options }));
  open.push(...clients);
  return { server, clients, first: clients[0] as LockClient, second: clients[1] as LockClient };
}

/** What a call has come to so far. */
export function watched<T>(call: Promise<T>): { outcome: T | 'waiting' } {
  const seen: { outcome: T | 'waiting' } = { outcome: 'waiting' };
  void call.then((value) => {
    seen.outcome = value;
  });
  return seen;
}
