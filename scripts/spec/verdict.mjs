// From what the verifier printed to a verdict, and verdicts as a table. Pure: tested in packages/testkit/test/spec-verdict.test.ts.

/**
 * @typedef {object} Variant see spec/variants.mjs
 * @property {string} name
 * @property {string} model
 * @property {string} set
 * @property {string} because
 * @property {number} states
 * @property {string} [fails]
 *
 * @typedef {object} Search
 * @property {'complete' | 'violation' | 'incomplete'} kind
 * @property {number} states
 * @property {string} [violation] the name in the assertion, or what else SPIN calls it
 * @property {string} [why]       why it is incomplete
 */

const limits = [
  [/max search depth too small/, 'deeper than the search may go'],
  [/out of memory|reached -DMEMLIM/, 'out of memory'],
  [/Search not completed|interrupted/i, 'not completed'],
];

/** @param {string} printed by the verifier @returns {Search} */
export function searchOf(printed) {
  const states = Number(/([\d.e+]+) states, stored/.exec(printed)?.[1] ?? Number.NaN);
  const broken = /^pan:1: (.*)$/m.exec(printed)?.[1];
  if (broken !== undefined) {
    // Our assertions end with the name of what they protect.
    const violation = /^assertion violated .*?([a-z_]+)\)*\s*\(at depth/.exec(broken)?.[1] ?? broken;
    return { kind: 'violation', states, violation };
  }
  const why = limits.find(([sign]) => sign.test(printed))?.[1];
  if (why === undefined && /errors: 0/.test(printed) && states > 0) return { kind: 'complete', states };
  return { kind: 'incomplete', states, why: why ?? 'no result' };
}

/** @param {Variant} variant @param {Search} search @returns {{ ok: boolean, said: string }} */
export function judge({ fails, states: budget }, search) {
  if (search.kind === 'incomplete') return { ok: false, said: `INCOMPLETE: ${search.why}` };
  if (search.states > budget) return { ok: false, said: `OVER BUDGET of ${budget} states` };
  if (search.kind === 'complete')
    return fails === undefined ? { ok: true, said: 'holds' } : { ok: false, said: `HOLDS, but ${fails} must fail` };
  if (fails === undefined) return { ok: false, said: `FAILS: ${search.violation}` };
  if (fails !== search.violation) return { ok: false, said: `FAILS: ${search.violation}, but ${fails} must` };
  return { ok: true, said: `fails: ${fails}` };
}

/** Markdown. @param {{ variant: Variant, search: Search, seconds: number, verdict: { said: string } }[]} rows */
export function table(rows) {
  const cells = rows.map(({ variant, search, seconds, verdict }) => [
    variant.name,
    verdict.said,
    Number.isNaN(search.states) ? '' : search.states.toLocaleString('en'),
    seconds.toFixed(1),
    `\`${variant.set}\``,
    variant.because,
  ]);
  return [['variant', 'verdict', 'states', 's', 'switches', 'what it is about'], Array(6).fill('---'), ...cells]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
