import { afterEach } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { createTestClient, type TestClientOptions, type TestLockClient } from 'holdfast/testing';

/** Makes clients in memory, each of them as of a process of its own, and closes them when the test has ended. */
export function useTestClients(): (options?: TestClientOptions) => TestLockClient {
  const open: LockClient[] = [];
  afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));
  return (options = {}) => {
    const client = createTestClient(options);
    open.push(client);
    return client;
  };
}
