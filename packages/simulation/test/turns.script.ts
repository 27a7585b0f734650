// Processes whose tasks all want one lock, for a while of world time: prints how many critical sections each process had, and for which share of
// the time the lock was in use. The argument is a Market as JSON.
import { type Scenario, inMacrotask, scenarioOf } from '../src/index.js';
import { finishJobs } from '../src/world/jobs.js';
import { Phase } from '../src/world/timeline.js';
import { Trace } from '../src/world/trace.js';
import { type Life, World } from '../src/world/world.js';

interface Market {
  readonly seed: number;
  readonly processes: number;
  /** In each process. */
  readonly tasks: number;
  /** Of a critical section: each lasts from half of it to one and a half. */
  readonly sectionMs: number;
  /** What a process computes behind each section, times its number: the later ones measure longer round trips. */
  readonly computeMs: number;
  readonly delays: Scenario['delays'];
  readonly lastsMs: number;
  /** The server stands still for so long once. */
  readonly stallMs: number;
}

const client = {
  watchdogTimeoutMs: 30_000,
  claimLeaseMs: 15_000,
  reaskMs: 10_000,
  attemptTimeoutMs: 10_000,
  responseTimeoutMs: 20_000,
};

function scenarioFor({ seed, processes, delays, lastsMs }: Market): Scenario {
  const plans = Array.from(
    { length: processes },
    (_, number) =>
      ({ name: `p${number}`, number, rate: 1, startsAt: 0, connection: 'ours', client, tasks: [] }) as const,
  );
  const calm = { class: 'calm', wakeup: 'queue', kind: 'plain', lag: undefined, faults: [], shared: [] } as const;
  return { ...scenarioOf(seed), ...calm, locks: ['market'], delays, workMs: lastsMs, processes: plans };
}

function trade(market: Market): { sections: number[]; used: number } {
  const scenario = scenarioFor(market);
  const world = new World(scenario, new Trace('number only'));
  const { timeline } = world;
  const sections = scenario.processes.map(() => 0);
  let usedMs = 0;

  const section = ({ process, number }: Life) =>
    new Promise<void>((resolve) => {
      const ms = market.sectionMs * (0.5 + process.chance.next());
      sections[number] = (sections[number] ?? 0) + 1;
      usedMs += ms;
      process.at(process.time + ms, Phase.socket, () => {
        process.nextTurn(() => process.compute(market.computeMs * number));
        resolve();
      });
    });
  const task = async (life: Life) => {
    const lock = life.client.getLock('market');
    for (;;) await lock.withLock(() => section(life));
  };

  scenario.processes.forEach((plan, number) => {
    const life = { ...world.start(plan), number };
    life.process.at(timeline.now, Phase.timer, () => {
      for (let i = 0; i < market.tasks; i++) void task(life);
    });
  });
  finishJobs();
  timeline.at(market.lastsMs / 4, Phase.timer, undefined, () => world.server.stop(market.stallMs));
  timeline.run(market.lastsMs + market.stallMs, () => 'go on');
  return { sections, used: usedMs / market.lastsMs };
}

const market = JSON.parse(process.argv[2] ?? '') as Market;
process.stdout.write(JSON.stringify(await inMacrotask(() => trade(market))));
