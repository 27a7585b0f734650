const { createTestClient, holdfastMatchers } = require('holdfast/testing');

expect.extend(holdfastMatchers);

// The code under test: it takes the client that it is given.
const settle = (locks, month) => locks.getLock(`accounts:${month}`).tryWithLock({ waitMs: 2_000 }, () => 'settled');

let locks;
beforeEach(() => {
  locks = createTestClient();
});
afterEach(() => locks.close());

test('a month is settled once at a time', async () => {
  await expect(settle(locks, '2026-10')).resolves.toEqual({ ran: true, value: 'settled' });
  await expect(locks.getLock('accounts:2026-10')).toBeFree();
});

test('and gives up when another process is at it', async () => {
  const other = await locks.busy('accounts:2026-10');
  const settling = settle(locks, '2026-10');
  await locks.advance(2_000);
  await expect(settling).resolves.toEqual({ ran: false });
  await other.free();
});
