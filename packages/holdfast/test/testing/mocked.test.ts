/** What `createTestClient` says where `jest.mock('holdfast')` has left nothing of the client. */
import { expect, it, jest } from '@jest/globals';

it.each(['an automatic mock', 'no LockClient'])('a test client says that holdfast is mocked: %s', async (how) => {
  jest.resetModules();
  const LockClient = how === 'no LockClient' ? undefined : jest.fn();
  jest.unstable_mockModule('holdfast', () => ({ LockClient, LockLostError: jest.fn() }));
  const { createTestClient } = await import('holdfast/testing');
  expect(() => createTestClient()).toThrow(/`holdfast` is mocked in this test.*jest\.requireActual\('holdfast'\)/);
});
