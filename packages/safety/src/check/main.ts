/** npm run check-history: prints the verdict on the histories in files. See `usage`. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareWithAof } from '../aof/compare.js';
import { AofFormatError, readAof } from '../aof/parse.js';
import { replay } from '../aof/replay.js';
import { HistoryFormatError, readHistory } from '../history/read.js';
import { type FaultClass, faultClasses, faultClassOf } from './fault-classes.js';
import { judge } from './judge.js';
import { type Called, callReferee } from './referee.js';
import { describeViolation } from './violation.js';

const usage = `npm run check-history -- [options] FILE…     files of one run, one per process

  --class NAME            what the run did to the world; default crash-and-network
${Object.values(faultClasses)
  .map(({ name, means }) => `      ${name}: ${means}`)
  .join('\n')}
  --watchdog-lease-ms N   lease of holds that are renewed; default 30000
  --limit N               stop after so many violations; default 20
  --aof FOLDER            append-only file of a server that kept the locks (its appenddirname); may be given several times
  --referee               ask Porcupine too (needs Go)
  --json                  one JSON object instead of text
`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function wholeNumber(text: string, option: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`--${option} needs a whole number above 0`);
  return value;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      class: { type: 'string', default: 'crash-and-network' },
      'watchdog-lease-ms': { type: 'string', default: '30000' },
      limit: { type: 'string', default: '20' },
      json: { type: 'boolean', default: false },
      aof: { type: 'string', multiple: true, default: [] },
      referee: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals.length === 0) {
    say(usage);
    return values.help ? 0 : 2;
  }
  const faultClass = faultClassOf(values.class);
  if (faultClass === undefined) throw new RangeError(`no such fault class: ${values.class}`);
  const history = readHistory(positionals);
  const judgement = judge(history, {
    faultClass,
    watchdogLeaseMs: wholeNumber(values['watchdog-lease-ms'], 'watchdog-lease-ms'),
    limit: wholeNumber(values.limit, 'limit'),
  });
  const { undecided, counts } = judgement;
  const timelines = values.aof.map((folder) => replay(readAof(folder)));
  const served = compareWithAof(history, timelines, faultClass);
  const violations = [...judgement.violations, ...served.violations];
  if (values.json) say(JSON.stringify({ violations, undecided, counts }));
  else {
    for (const violation of violations) say(describeViolation(violation));
    for (const lock of undecided) say(`undecided: the search for an order on ${lock} was given up`);
    say(
      Object.entries(counts)
        .map(([name, count]) => `${name} ${count}`)
        .join(', '),
    );
    if (timelines.length > 0) say(`append-only files: ${served.tenures} tenures, ${served.compared} holds compared`);
    say(`${faultClass.name}: ${violations.length === 0 ? 'nothing violated' : `${violations.length} violations`}`);
  }
  const refereeAgrees = !values.referee || (await askReferee(positionals, faultClass));
  return violations.length === 0 && undecided.length === 0 && refereeAgrees ? 0 : 1;
}

/** Answers whether nothing is known against the history. */
async function askReferee(files: readonly string[], faultClass: FaultClass): Promise<boolean> {
  const suspended = faultClass.suspended['not-linearizable'];
  const called: Called =
    suspended === undefined
      ? await callReferee(fileURLToPath(new URL('../..', import.meta.url)))
      : { kind: 'absent', why: suspended };
  if (called.kind === 'absent') {
    say(`porcupine: not asked: ${called.why}`);
    return true;
  }
  const { illegal, undecided, operations, locks } = await called.referee.judge(files, faultClass);
  for (const lock of illegal) say(`porcupine: illegal: ${lock}`);
  for (const lock of undecided) say(`porcupine: undecided: ${lock}`);
  say(`porcupine: ${operations} operations on ${locks} locks, ${illegal.length} illegal`);
  return illegal.length === 0 && undecided.length === 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof HistoryFormatError || error instanceof AofFormatError || error instanceof RangeError))
    throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
