/** What `createTestClient` says where `jest.mock('holdfast')` has left nothing of the client, and what works with a mock in the place of ioredis. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

afterEach(() => {
  for (const name of ['holdfast', 'ioredis']) jest.unstable_unmockModule(name);
});

it.each(['an automatic mock', 'no LockClient'])('a test client says that holdfast is mocked: %s', async (how) => {
  jest.resetModules();
  const LockClient = how === 'no LockClient' ? undefined : jest.fn();
  jest.unstable_mockModule('holdfast', () => ({ LockClient, LockLostError: jest.fn() }));
  const { createTestClient } = await import('holdfast/testing');
  expect(() => createTestClient()).toThrow(/`holdfast` is mocked in this test.*jest\.requireActual\('holdfast'\)/);
});

/** What stands where `Redis`, `Cluster` and `Command` were: nothing for `jest.mock('ioredis')`, and a class of their own for a fuller mock. */
const mocks = {
  nothing: undefined,
  'another class': class {
    readonly options = {};
    duplicate(): unknown {
      return this;
    }
  },
};

describe.each(Object.entries(mocks))('where a test mocks ioredis, with %s in its place,', (_, mock) => {
  beforeEach(() => {
    jest.resetModules();
    jest.unstable_mockModule('ioredis', () => ({ default: mock, Redis: mock, Cluster: mock, Command: mock }));
  });

  it('a test client is still a real one', async () => {
    const { createTestClient } = await import('holdfast/testing');
    const locks = createTestClient();
    const other = createTestClient({ server: locks.server });
    await locks.getLock('accounts').withLock(async () => {
      expect(await other.getLock('accounts').tryLock()).toBe(false);
    });
    expect(await other.getLock('accounts').tryLock()).toBe(true);
    await other.close();
    await locks.close();
  });

  it('a client is refused with the reason and the way out, whatever it is given', async () => {
    const { createLockClient } = await import('holdfast');
    const said = /^redis: .* is not of ioredis 5\.4 or newer; in a test that mocks ioredis, .*holdfast\/testing/;
    for (const redis of ['redis://localhost:1', { host: 'localhost' }, new mocks['another class']()])
      expect(() => createLockClient({ redis: redis as string })).toThrow(said);
  });
});
