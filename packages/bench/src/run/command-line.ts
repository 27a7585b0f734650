import { parseArgs } from 'node:util';
import { roster, subject } from '../peers/roster.js';
import { type Language, languages } from '../programs/program.js';
import { catalogue } from '../workloads/catalogue.js';
import { besideLanguages } from '../workloads/languages.js';

/** What to run. */
export interface Plan {
  readonly extent: 'full' | 'short' | 'report only';
  readonly workloads: readonly string[];
  readonly peers: readonly string[];
  /** Whose programs are to be made and run. */
  readonly languages: readonly Language[];
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
  readonly renewedLeaseMs: number;
  /** Folder of results and report; undefined: where this kind of run puts them. */
  readonly out: string | undefined;
  /** Workloads that have results there already: measured again, or left as they are. */
  readonly present: 'again' | 'keep';
  /** As it was typed, for the report. */
  readonly command: string;
}

export const usage = `npm run bench -- [options]

  (none)             everything, at most 45 minutes; writes docs/benchmarks
  --short            a little of everything, within two minutes; fails only when a number of commands is not exact
  --only a,b         only these workloads: ${catalogue.map(({ name }) => name).join(', ')}
  --resume           leave out workloads that have results already
  --report           measure nothing, write the report from the results that are there
  --peers a,b        only these besides ${subject}: ${roster.map(({ name }) => `'${name}'`).join(', ')}
                     (not written to docs/benchmarks)
  --java, --go       beside Java's Redisson, with a JDK and Maven; beside Go's rueidislock, redsync and redislock: the
                     workloads ${besideLanguages.map(({ name }) => name).join(', ')}, which are not run without one of these
  --rounds n         rounds of each case (3)
  --round-ms n       length of a round (1,000)
  --out folder       where results and report go
`;

const natural = (name: string, text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`--${name} must be a whole number above 0`);
  return value;
};

function selected(what: string, text: string, known: readonly string[]): readonly string[] {
  const wanted = text.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new RangeError(`there is no ${what} '${unknown}'`);
  return known.filter((name) => wanted.includes(name));
}

const everyWorkload = catalogue.map(({ name }) => name);
const amongLanguages = besideLanguages.map(({ name }) => name);

/** What a run measures that has not been told what. */
const ordinary = (wanted: readonly Language[]): readonly string[] =>
  wanted.length > 0 ? amongLanguages : everyWorkload.filter((name) => !amongLanguages.includes(name));

/** As somebody else would type it: without where the results went. */
function commandOf(values: Readonly<Record<string, string | boolean | undefined>>): string {
  const words = Object.entries(values).flatMap(([name, value]) => {
    if (name === 'out' || value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, value];
  });
  return ['npm run bench', ...(words.length > 0 ? ['--', ...words] : [])].join(' ');
}

/** @throws RangeError, or TypeError of `parseArgs`, when the arguments make no sense. */
export function planOf(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
      java: { type: 'boolean', default: false },
      go: { type: 'boolean', default: false },
      only: { type: 'string' },
      peers: { type: 'string' },
      rounds: { type: 'string' },
      'round-ms': { type: 'string' },
      out: { type: 'string' },
    },
  });
  if (values.short && values.report) throw new RangeError('--short and --report exclude each other');
  const wanted = languages.filter((language) => values[language]);
  const names = roster.filter(({ runsIn }) => runsIn === undefined || wanted.includes(runsIn)).map(({ name }) => name);
  return {
    extent: values.report ? 'report only' : values.short ? 'short' : 'full',
    workloads: values.only === undefined ? ordinary(wanted) : selected('workload', values.only, everyWorkload),
    languages: wanted,
    peers: values.peers === undefined ? names : selected('peer', `${subject},${values.peers}`, names),
    rounds: natural('rounds', values.rounds ?? (values.short ? '1' : '3')),
    roundMs: natural('round-ms', values['round-ms'] ?? (values.short ? '100' : '1000')),
    warmUpMs: values.short ? 100 : 6_000,
    renewedLeaseMs: values.short ? 1_500 : 6_000,
    out: values.out,
    present: values.resume ? 'keep' : 'again',
    command: commandOf(values),
  };
}
