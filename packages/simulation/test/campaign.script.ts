/** Worlds of one class: `fixed` of them from a fixed seed, then new ones from `fresh` until `ms` are over. Prints what came of them. */
import { inMacrotask, runScenario, scenarioOf, type ScenarioClass } from '../src/index.js';

const [kind, fresh, fixed, ms] = process.argv.slice(2) as [ScenarioClass, string, string, string];

async function campaign() {
  const startedAt = performance.now();
  let holds = 0;
  for (let run = 0; run < Number(fixed) || performance.now() - startedAt < Number(ms); run++) {
    const seed = run < Number(fixed) ? 20_261 + run : Number(fresh) + run;
    const { violation, counts } = await inMacrotask(() => runScenario(scenarioOf(seed, kind)));
    holds += counts.holds;
    if (violation !== undefined)
      return { holds, violation, again: `npm run simulate -- --show ${seed} --class ${kind}` };
  }
  return { holds };
}

process.stdout.write(JSON.stringify(await campaign()));
