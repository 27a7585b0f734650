/** Calls of a multi-lock of which one step is not answered, be it that which fixes the lease of the members. */
import { guardLeaks } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { LockUnavailableError } from 'holdfast';
import { failureOf } from '../support/outcomes.js';
import { silentServer } from '../support/silent-server.js';

const leaks = guardLeaks();

it.each([
  ['one attempt', 0],
  ['a deadline', 1_000],
])('keeps a call with %s for as long as an attempt may take, and its members are given back', async (_, waitMs) => {
  const { client, observer, silenceAfterGrant, pass, mend } = silentServer(leaks);
  const names = ['{one}:a', '{one}:b'];
  const both = client({ responseTimeoutMs: 6_000 }).getMultiLock(names);
  // So that the server knows the scripts.
  await both.withLock({ leaseMs: 20_000 }, () => undefined);
  silenceAfterGrant();
  const call = failureOf(both.tryLock(waitMs, 20_000));
  await pass(900);
  expect(await Promise.race([call, Promise.resolve('waiting')])).toBe('waiting');
  expect(await observer.getMultiLock(names).isLocked()).toBe(true);
  await pass(150);
  expect(await Promise.race([call, Promise.resolve('waiting')])).toBeInstanceOf(LockUnavailableError);
  mend();
  await pass(2_000);
  expect(await observer.getMultiLock(names).isLocked()).toBe(false);
});

it('that is for the second member keeps one attempt for no longer, and the first is given back', async () => {
  const { client, observer, silenceAfterGrant, pass, mend } = silentServer(leaks);
  const both = client({ responseTimeoutMs: 6_000 }).getMultiLock(['{one}:a', '{one}:b']);
  await both.withLock(() => undefined);
  const [free, busy] = both.names as [string, string];
  await observer.getLock(busy).acquire();
  silenceAfterGrant();
  const call = failureOf(both.tryLock());
  await pass(900);
  expect(await Promise.race([call, Promise.resolve('waiting')])).toBe('waiting');
  await pass(150);
  expect(await Promise.race([call, Promise.resolve('waiting')])).toBeInstanceOf(LockUnavailableError);
  mend();
  await pass(2_000);
  expect(await observer.getLock(free).isLocked()).toBe(false);
});
