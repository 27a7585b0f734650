import { parseArgs } from 'node:util';

/** What to run. */
export interface Plan {
  readonly extent: 'full' | 'short' | 'report only';
  readonly minutes: number;
  readonly processes: number;
  /** Held at the same time, and waited for by as many calls. */
  readonly locks: number;
  /** How long a lock that somebody waits for is held. */
  readonly turnMs: number;
  readonly sampleEveryMs: number;
  readonly seed: number;
  /** Where the result goes; undefined: where this extent puts it. */
  readonly out: string | undefined;
  /** As it would be typed again. */
  readonly command: string;
}

export const usage = `npm run soak -- [options]

  (none)          10,000 held locks and 10,000 waiters in 8 processes under connection faults, for 20 minutes
  --minutes n     so long (20); trends are judged from 10 minutes on
  --short         1,000 and 1,000 in 2 processes for about 20 s: exact checks only
  --locks n       held locks, and as many waiters (10,000)
  --processes n   processes, two at least (8)
  --turn-s n      how long a lock that somebody waits for is held, in seconds (60)
  --seed n        of the faults (a fresh one, which is printed)
  --out file      where the result goes, as JSON
  --report        run nothing: write the figures of the last full run into docs/soak.md
`;

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new RangeError(`--${name} must be a number above 0`);
  return value;
}

function whole(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`--${name} must be a whole number from ${least} on`);
  }
  return value;
}

/** @throws RangeError, or TypeError of `parseArgs`, when the arguments make no sense. */
export function planOf(args: readonly string[], freshSeed: number): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      locks: { type: 'string' },
      processes: { type: 'string' },
      'turn-s': { type: 'string' },
      seed: { type: 'string' },
      out: { type: 'string' },
    },
  });
  if (values.short && values.report) throw new RangeError('--short and --report exclude each other');
  const usual = values.short
    ? { minutes: '0.3', locks: '1000', processes: '2', turnS: '8', sampleEveryMs: 5_000 }
    : { minutes: '20', locks: '10000', processes: '8', turnS: '60', sampleEveryMs: 20_000 };
  const plan = {
    minutes: positive('minutes', values.minutes ?? usual.minutes),
    locks: whole('locks', values.locks ?? usual.locks, 1),
    processes: whole('processes', values.processes ?? usual.processes, 2),
    turnMs: positive('turn-s', values['turn-s'] ?? usual.turnS) * 1_000,
    seed: whole('seed', values.seed ?? String(freshSeed), 0),
  };
  const words = [
    ...(values.short ? ['--short'] : []),
    ...(['minutes', 'locks', 'processes', 'turn-s'] as const).flatMap((name) =>
      values[name] === undefined ? [] : [`--${name} ${values[name]}`],
    ),
    `--seed ${plan.seed}`,
  ];
  return {
    ...plan,
    extent: values.report ? 'report only' : values.short ? 'short' : 'full',
    sampleEveryMs: usual.sampleEveryMs,
    out: values.out,
    command: `npm run soak -- ${words.join(' ')}`,
  };
}
