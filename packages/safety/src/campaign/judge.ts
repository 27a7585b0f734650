/**
 * The process that judges an epoch while the next one runs. Its arguments: the fault class, the lease, the folders of the servers' append-only files as JSON,
 * the files of the history. Its verdict comes on stdout.
 */
import { flawsOf } from '../aof/compare.js';
import { readAof } from '../aof/parse.js';
import { replay } from '../aof/replay.js';
import { faultClassOf } from '../check/fault-classes.js';
import { judge } from '../check/judge.js';
import { describeViolation } from '../check/violation.js';
import { readHistory } from '../history/read.js';
import { holdsByKind } from './kinds.js';
import { countUpdates } from './updates.js';

/** What the judge says, as JSON. */
export interface Judgement {
  readonly events: number;
  readonly crossProcess: number;
  readonly updates: number;
  readonly staleUpdates: number;
  readonly holdsByKind: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

const [className = '', watchdogLeaseMs = '', served = '[]', ...files] = process.argv.slice(2);
const faultClass = faultClassOf(className);
if (faultClass === undefined) throw new RangeError(`there is no fault class ${className}`);
const history = readHistory(files);
const { violations, undecided, counts } = judge(history, { faultClass, watchdogLeaseMs: Number(watchdogLeaseMs) });
const timelines = (JSON.parse(served) as string[]).map((folder) => replay(readAof(folder)));
const flaws = flawsOf(history, timelines, faultClass);
const judgement: Judgement = {
  events: counts.events,
  crossProcess: counts.crossProcess,
  ...countUpdates(history),
  holdsByKind: holdsByKind(history),
  violations: [
    ...[...violations, ...flaws].map(describeViolation),
    ...undecided.map((lock) => `undecided: the search for an order on ${lock} was given up`),
  ],
};
process.stdout.write(JSON.stringify(judgement));
