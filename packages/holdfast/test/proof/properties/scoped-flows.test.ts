/**
 * Random programs on one lock, from two clients on a real server, in the order that fast-check's scheduler chooses: nested and concurrent
 * calls of every kind, some given up, some whose lock is lost or left open. After each step they are compared with a model of the
 * waiting line (line-model.ts). Beside it locks whose names nearly collide with its own are held and waited for: nothing of them may
 * change.
 *
 * HOLDFAST_PROOF=long runs many more programs; see `proofRuns` for how to repeat a failure.
 */
import { lockKeys } from '@holdfast/core';
import { nearNames, proofRuns, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { freshName, openClient } from '../../support/clients.js';
import { bystanders, Neighbour } from '../../support/neighbour.js';
import { Flows, WATCHED_MS } from './flows.js';
import { type Program, programs } from './programs.js';

const kit = useRedis();
const { parameters, timeoutMs } = proofRuns({ quick: 60, long: 5_000 });

/** Which of the names that nearly collide is under test: half of the time the plain one or the same in braces, which stand beside it. */
const chosen = fc.oneof(fc.constantFrom(0, 1), fc.nat({ max: nearNames('').length - 1 }));

describe('whatever flows do with one lock, nested, side by side and from two processes', () => {
  it(
    'who gets in was next and descends from who is in, the count is the depth, losses are told, and nothing stays',
    async () => {
      const pair = (releaseOnScopeEnd: boolean) => {
        const options = { watchdogTimeoutMs: WATCHED_MS, reaskMs: 100, claimLeaseMs: 400, releaseOnScopeEnd };
        return [openClient(kit, options), openClient(kit, options)];
      };
      const clients = { abandon: pair(false), release: pair(true) };
      const all = Object.values(clients).flat();
      const beside = bystanders(kit);
      // Everything is connected from here on. With leases so short a busy machine may lose a lock at once, which is no matter yet.
      await Promise.allSettled(
        [...all, ...Object.values(beside)].map((client) => client.getLock(freshName()).withLock(() => undefined)),
      );
      const timersBefore = await waitUntil(() => timers(), { what: 'this very wait has a timer' });
      const total = { programs: 0, entered: 0, looks: 0 };
      const runOne = async (program: Program, scheduler: fc.Scheduler, index: number) => {
        const text = freshName();
        const name = nearNames(text)[index] as string;
        const near = [text, `{${text}}`].filter((other) => other !== name);
        const neighbours = await Promise.all(near.map((other) => Neighbour.of(beside, other)));
        const flows = new Flows(kit, scheduler, name, clients[program.leftovers], program);
        await flows.run();
        total.programs++;
        total.entered += flows.model.entered;
        total.looks += flows.comparison.looks;
        for (const neighbour of neighbours) await neighbour.undisturbed();
        const { lock, queue, fresh } = lockKeys(name);
        const keys = [lock, queue, fresh];
        await waitUntil(async () => (await kit.admin.exists(...keys)) === 0, {
          what: 'the lock is free',
          timeoutMs: 3_000,
        });
      };
      // On a busy machine the time for all of them may end in the middle of one, which then goes on.
      let latest: Promise<void> = Promise.resolve();
      const property = fc.asyncProperty(programs, fc.scheduler(), chosen, (...drawn) => (latest = runOne(...drawn)));
      await fc.assert(property, parameters);
      await latest;
      await waitUntil(() => timers() <= timersBefore, { what: 'no timer of a wait is left', timeoutMs: 5_000 });
      const stats = all.map((client) => client.stats());
      if (process.env['HOLDFAST_PROOF'] === 'long') process.stdout.write(`${JSON.stringify({ total, stats })}\n`);
      for (const { acquisitions } of stats) {
        expect(acquisitions.tried).toBe(acquisitions.won + acquisitions.refused + acquisitions.failed);
      }
      if (parameters.path !== undefined) return;
      expect(total.entered).toBeGreaterThan(parameters.numRuns);
      expect(total.looks).toBeGreaterThan(parameters.numRuns / 10);
    },
    timeoutMs,
  );
});

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
