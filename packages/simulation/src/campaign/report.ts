/** The section of docs/faults.md that results make. */

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { FaultKind } from '../plan/faults.js';
import type { CampaignResult } from './campaign.js';
import { addTally, emptyTally } from './tally.js';

/** A line of docs/faults/simulation.jsonl. */
export interface Recorded extends CampaignResult {
  readonly at: string;
  readonly commit: string;
}

const BEGIN = '<!-- simulated -->';
const END = '<!-- end of simulated -->';

const count = (value: number) => Math.round(value).toLocaleString('en-US');

export function record(file: string, commit: string, result: CampaignResult): void {
  const line: Recorded = { at: new Date().toISOString(), commit, ...result };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Writes the tables of all lines of `file` into the document. */
export function writeReport(file: string, document: string): void {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Recorded);
  const text = readFileSync(document, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${document} has no place for the results of simulations`);
  writeFileSync(document, `${text.slice(0, begin + BEGIN.length)}\n\n${tables(lines)}\n\n${text.slice(end)}`);
}

function tables(lines: readonly Recorded[]): string {
  const all = emptyTally();
  for (const { tally } of lines) addTally(all, tally);
  const rows = lines.map(({ at, commit, seed, minutes, tally, findings }) =>
    [
      at.slice(0, 10),
      commit,
      `${seed}`,
      minutes.toFixed(0),
      count(tally.runs),
      count(tally.worldMs / 3_600_000),
      count(tally.holds),
      count(tally.passed),
      count(tally.faults),
      `${findings.length}`,
    ].join(' | '),
  );
  const faults = (Object.entries(all.byFault) as [FaultKind, number][]).sort(([a], [b]) => (a < b ? -1 : 1));
  const found = lines.flatMap(({ commit, findings }) =>
    findings.map(({ seed, rule, text }) => `- seed ${seed}, commit ${commit}: ${rule}: ${text}`),
  );
  return [
    '| day | commit | first seed | minutes | worlds | world hours | holds | after another process | faults | violations |',
    '| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |',
    ...rows.map((row) => `| ${row} |`),
    '',
    `Faults: ${faults.map(([kind, hits]) => `${kind} ${count(hits)}`).join(', ')}.`,
    ...(found.length === 0 ? [] : ['', ...found]),
  ].join('\n');
}
