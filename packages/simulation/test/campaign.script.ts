/** Short worlds of one class from a fixed seed on: `count` of them, with `beside` or whatever each seed draws. Prints what came of them. */
import {
  inMacrotask,
  type OtherKind,
  runScenario,
  type ScenarioClass,
  scenarioOf,
  type Scripts,
} from '../src/index.js';
import { short } from './short.js';

const [kind, beside, first, count, scripts] = process.argv.slice(2) as [
  ScenarioClass,
  OtherKind | 'any',
  string,
  string,
  Scripts,
];

async function campaign() {
  let holds = 0;
  for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
    const scenario = short(scenarioOf(seed, { class: kind, with: beside === 'any' ? undefined : beside, scripts }));
    const { violation, counts } = await inMacrotask(() => runScenario(scenario));
    holds += counts.holds;
    if (violation !== undefined) return { holds, seed, violation };
  }
  return { holds };
}

process.stdout.write(JSON.stringify(await campaign()));
