/**
 * Short worlds from a fixed seed on, for each of the orders: `worlds` of them, of one class, with `beside` or whatever each seed draws; or of each temper.
 * Prints what came of each order. One process for all of them: until V8 has compiled the client, a world takes twice as long.
 */
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

export interface Order {
  readonly kind: ScenarioClass | 'each temper';
  readonly beside: OtherKind | 'any';
  readonly worlds: number;
  readonly scripts: Scripts;
}

const SEED = 20_261;

async function campaign({ kind, beside, worlds, scripts }: Order) {
  const company = beside === 'any' ? undefined : beside;
  const terms: readonly ScenarioTerms[] =
    kind === 'each temper'
      ? temperNames.map((temper) => ({ temper, with: company, scripts }))
      : [{ class: kind, with: company, scripts }];
  let holds = 0;
  for (const term of terms) {
    for (let seed = SEED; seed < SEED + worlds; seed++) {
      const { violation, counts } = await inMacrotask(() => runScenario(short(scenarioOf(seed, term))));
      holds += counts.holds;
      if (violation !== undefined) return { holds, temper: term.temper, seed, violation };
    }
  }
  return { holds };
}

const results: unknown[] = [];
for (const order of JSON.parse(process.argv[2] ?? '') as Order[]) results.push(await campaign(order));
process.stdout.write(JSON.stringify(results));
