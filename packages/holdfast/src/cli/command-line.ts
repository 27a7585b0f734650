/** What a command of the command line is given, and what it reads from its arguments. */

import { createLockClient, type LockClient, type LockClientOptions, LockUnavailableError } from 'holdfast';
import { performance } from 'node:perf_hooks';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { complain } from './complaint.js';
import { durationOf } from './durations.js';
import { UsageError } from './exit-codes.js';
import type { Io } from './io.js';
import { type Connected, type Site, siteOf, siteOptions } from './site.js';

/** What it takes a lock client to find out why there is no connection, where the time that answers have is over. */
const A_MOMENT_MS = 1_000;

const commonOptions = {
  ...siteOptions,
  prefix: { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Options of one command, as `util.parseArgs` is told of them. */
export type OwnOptions = NonNullable<ParseArgsConfig['options']>;

/** A command of the command line. */
export interface CliCommand {
  /** As in `holdfast ls [PATTERN]`. */
  readonly usage: string;
  /** One line. */
  readonly about: string;
  /** What its own options are and what holds without them, for its help: a line for each. */
  readonly details?: readonly string[];
  readonly options: OwnOptions;
  /** How many arguments it takes, at least and at most. */
  readonly takes: readonly [least: number, most: number];
  /** What stands behind `--`: more arguments, which may begin with a dash, or a command. */
  readonly behindDashes: 'arguments' | 'command';
  /** Answers with the code that the process ends with. */
  run(call: Call): Promise<number>;
}

/** One call of a command. */
export class Call {
  readonly io: Io;
  readonly positionals: readonly string[];
  /** The command behind `--`. */
  readonly rest: readonly string[] | undefined;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly site: Site;
  readonly #clients: LockClient[] = [];
  /** Of locks: commands that may go without have patterns. */
  readonly #names: readonly string[];

  /** @throws UsageError */
  constructor(
    io: Io,
    command: Pick<CliCommand, 'options' | 'takes' | 'usage' | 'behindDashes'>,
    args: readonly string[],
  ) {
    this.io = io;
    const [least, most] = command.takes;
    const [head, behind] = atDashes(args);
    const { values, positionals: before } = parsed(head, command.options);
    // `run -- NAME -- COMMAND` for a name that begins with a dash.
    const isNameBehind = command.behindDashes === 'arguments' || before.length < least;
    const [behindBefore, rest] = isNameBehind ? atDashes(behind ?? []) : [[], behind];
    this.rest = command.behindDashes === 'command' ? rest : undefined;
    const positionals = [...before, ...(command.behindDashes === 'command' ? behindBefore : (behind ?? []))];
    const wants = values['help'] !== true;
    if (wants && (positionals.length < least || positionals.length > most)) {
      throw new UsageError(`usage: holdfast ${command.usage}`);
    }
    this.#values = values;
    this.positionals = positionals;
    this.#names = least === 0 ? [] : positionals;
    this.site = siteOf(values, io);
  }

  get asksForHelp(): boolean {
    return this.flag('help');
  }

  get wantsJson(): boolean {
    return this.flag('json');
  }

  get prefix(): string {
    return this.text('prefix') ?? '';
  }

  flag(option: string): boolean {
    return this.#values[option] === true;
  }

  text(option: string): string | undefined {
    return this.#values[option] as string | undefined;
  }

  /** How long an answer of Redis may take. @throws UsageError */
  get answerWithinMs(): number {
    return this.duration('timeout', 1) ?? 5_000;
  }

  /** In milliseconds. @throws UsageError for one that is not a time, or less than `leastMs`. */
  duration(option: string, leastMs: number): number | undefined {
    const text = this.text(option);
    return text === undefined ? undefined : durationOf(`--${option}`, text, leastMs);
  }

  /** A lock client there; closed with {@link close}. @throws UsageError for a prefix, or a name, that cannot be. */
  openClient(options: Partial<LockClientOptions> = {}): LockClient {
    const where = { redis: this.site.input(), prefix: this.prefix, responseTimeoutMs: this.answerWithinMs };
    const client = meant(() => createLockClient({ ...where, ...options }));
    meant(() => this.#names.map((name) => client.getLock(name)));
    client.on('error', () => undefined);
    this.#clients.push(client);
    return client;
  }

  /**
   * Connections to each master that answers, for what a lock client does not do. Why there are none a lock client says best; when there are some it is not asked
   * whether it is ready: it would subscribe, which who only looks may not.
   *
   * @throws LockUnavailableError
   */
  async connected(): Promise<Connected> {
    const withinMs = this.answerWithinMs;
    const startedAt = performance.now();
    try {
      return await this.site.connect(withinMs);
    } catch (cause) {
      const leftMs = withinMs - (performance.now() - startedAt);
      const timeoutMs = Math.ceil(Math.max(leftMs, Math.min(withinMs, A_MOMENT_MS)));
      // It may be connected by now, when a script has come to its end, or not know why it is not: then this is what is known.
      await this.openClient()
        .connect({ timeoutMs })
        .catch((error: unknown) => {
          if (!(error instanceof LockUnavailableError) || error.cause !== undefined) throw error;
        });
      throw new LockUnavailableError(`Redis cannot be asked: ${(cause as Error).message.trim()}`, undefined, { cause });
    }
  }

  /** Says what is wrong, where errors are said. */
  complain(code: string, message: string): void {
    complain(this.io, this.wantsJson ? 'json' : 'words', code, message);
  }

  /** An object as one line. */
  printJson(value: unknown): void {
    this.io.write(`${JSON.stringify(value)}\n`);
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    this.site.close();
  }
}

/** What a client says of what it is given, when it is from the command line. */
function meant<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/** What stands before the first `--`, and behind it. */
function atDashes(args: readonly string[]): [before: readonly string[], behind: readonly string[] | undefined] {
  const at = args.indexOf('--');
  return at < 0 ? [args, undefined] : [args.slice(0, at), args.slice(at + 1)];
}

function parsed(args: readonly string[], own: OwnOptions) {
  try {
    return parseArgs({ args: [...args], options: { ...commonOptions, ...own }, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.replaceAll('\n', ' '));
  }
}
