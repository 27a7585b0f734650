/** Short worlds of one class from a fixed seed on: `count` of them, with `beside` or whatever each seed draws; or of each temper. Prints what came of them. */
import {
  inMacrotask,
  type OtherKind,
  runScenario,
  type ScenarioClass,
  scenarioOf,
  type ScenarioTerms,
  type Scripts,
  temperNames,
} from '../src/index.js';
import { short } from './short.js';

const [kind, beside, first, count, scripts] = process.argv.slice(2) as [
  ScenarioClass | 'each temper',
  OtherKind | 'any',
  string,
  string,
  Scripts,
];

const company = beside === 'any' ? undefined : beside;
const terms: readonly ScenarioTerms[] =
  kind === 'each temper'
    ? temperNames.map((temper) => ({ temper, with: company, scripts }))
    : [{ class: kind, with: company, scripts }];

async function campaign() {
  let holds = 0;
  for (const term of terms) {
    for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
      const { violation, counts } = await inMacrotask(() => runScenario(short(scenarioOf(seed, term))));
      holds += counts.holds;
      if (violation !== undefined) return { holds, temper: term.temper, seed, violation };
    }
  }
  return { holds };
}

process.stdout.write(JSON.stringify(await campaign()));
