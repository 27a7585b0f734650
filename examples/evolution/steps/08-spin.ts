import { setTimeout as sleep } from 'node:timers/promises';
import { allKinds, delaysOf, type Kind, loadOf } from '../crowd.js';
import { type Delays, type Load, millis, perSecond, type Stage, type Step } from '../stage.js';
import { comesTrue } from '../watching.js';

/** How often a process of holdfast that waits asks again by itself. */
const REASK_MS = 1_500;

export const step: Step = {
  system: 'spinning with a growing pause',
  flaw: 'load that grows with those who wait, and a late wake-up',
  cure: 'a message wakes who waits (system 9)',
  async play(stage) {
    const loads: Load[] = [];
    for (const waiters of stage.tempo.crowds) loads.push(...(await loadsOf(stage, waiters)));
    const most = Math.max(...stage.tempo.crowds);
    const delays: Delays[] = [];
    for (const kind of allKinds) delays.push({ kind, sortedMs: await delaysOf(stage, kind, stage.tempo.handovers) });
    const load = (kind: Kind) => loads.find((one) => one.kind === kind && one.waiters === most) ?? never();
    const delayOf = (kind: Kind) => {
      const sorted = delays.find((one) => one.kind === kind)?.sortedMs ?? [];
      return sorted.length === 0 ? '' : `, woken after ${millis(sorted[Math.floor(sorted.length / 2)] ?? 0)}`;
    };
    const said = (kind: Kind) => `${perSecond(load(kind)).toFixed(0)} requests/s${delayOf(kind)}`;
    const [spinning, notified, here] = [load('spinning (8)'), load('notified (9)'), load('holdfast')];
    return {
      flaw: {
        seen: spinning.requests >= stage.tempo.askings * most,
        text: `${most} processes wait: ${said('spinning (8)')}`,
        inShort: said('spinning (8)'),
      },
      cure: {
        seen: 2 * notified.requests < spinning.requests,
        text: said('notified (9)'),
        inShort: said('notified (9)'),
      },
      holdfast: {
        seen: here.requests <= most * (2 + here.windowMs / REASK_MS),
        text: `${said('holdfast')}; each process asks again every 1.5 s, in case a message was lost`,
        inShort: said('holdfast'),
      },
      figures: { loads, delays },
    };
  },
};

/** All kinds for as long as those who spin take for their requests. */
async function loadsOf(stage: Stage, waiters: number): Promise<Load[]> {
  const spinning = await loadOf(stage, 'spinning (8)', waiters, (count) =>
    comesTrue(async () => (await count()) >= stage.tempo.askings * waiters, 'those who spin to ask so often'),
  );
  const others: Load[] = [];
  for (const kind of allKinds.filter((one) => one !== 'spinning (8)')) {
    others.push(await loadOf(stage, kind, waiters, () => sleep(spinning.windowMs)));
  }
  return [...others, spinning];
}

function never(): never {
  throw new Error('each kind was measured with the largest crowd');
}
