import { AbortHub, quietWait } from '@holdfast/notify';
import { ManualClock } from '@holdfast/testkit';
import { Schedule } from '@holdfast/watchdog';
import { expect, it } from '@jest/globals';
import { Readiness } from '../src/connection/readiness.js';
import type { Topology } from '../src/connection/topology.js';
import { turns } from './support/room.js';

/** Every server is reached; messages are not heard before `open`. */
function setUp() {
  const clock = new ManualClock();
  const nextTurn = (run: () => void) => void setImmediate(run);
  const parts = { clock, waits: new Schedule(clock, 'background', () => undefined), nextTurn, aborts: new AbortHub() };
  const nothing = () => undefined;
  const topology: Partial<Topology> = {
    ...{ ready: true, takesLocks: true, ended: false, stir: () => true },
    ...{ listen: nothing, connect: nothing, trouble: undefined },
  };
  const opened = quietWait<void>();
  const inbox = {
    confirmed: false,
    asked: 0,
    open: () => {
      inbox.asked++;
      return opened.promise;
    },
  };
  const readiness = new Readiness(topology as Topology, inbox, parts);
  const open = () => {
    inbox.confirmed = true;
    opened.resolve();
  };
  return { clock, readiness, inbox, open };
}

it('an inbox that does not open is not waited for once more by each call', async () => {
  const { clock, readiness, inbox, open } = setUp();
  for (let times = 0; times < 5; times++) {
    const given = readiness.wait({ timeoutMs: 100 }).catch(({ code }) => code);
    await clock.advance(100);
    await turns(1);
    expect(await given).toBe('LOCK_UNAVAILABLE');
  }
  expect(inbox.asked).toBe(1);
  const ready = readiness.wait({ timeoutMs: 100 });
  open();
  await ready;
  expect(readiness.ready).toBe(true);
});
