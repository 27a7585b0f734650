/**
 * Reads an append-only file: what the server did, in the order in which it did it. The effects of a script come as one transaction, PEXPIRE
 * as PEXPIREAT with the absolute time, and expiry as DEL.
 *
 * The server has to run with `aof-use-rdb-preamble no` (a preamble is a snapshot without history), and should with
 * `aof-timestamp-enabled yes`. Where the machine is to go down as well, and not only the server, `appendfsync always` too.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

/** One command, or all effects of one script. */
export interface Transaction {
  readonly commands: readonly (readonly string[])[];
  /** Second of the server's wall clock, as far as the file says; 0 before the first stamp. */
  readonly second: number;
  /** From a base file: a state that was written down at once, not something that happened. */
  readonly isBase: boolean;
}

export class AofFormatError extends Error {
  override readonly name = 'AofFormatError';
}

/**
 * The transactions of a multi-part file, oldest first. `folder`: the server's `appenddirname`. What is cut off at the end of the last
 * file, by the death of its server, is left out.
 *
 * @throws AofFormatError for anything that is no append-only file, also for an RDB preamble.
 */
export function* readAof(folder: string): Generator<Transaction> {
  for (const { file, isBase } of partsOf(folder)) yield* transactionsOf(join(folder, file), isBase);
}

function partsOf(folder: string): { file: string; isBase: boolean }[] {
  const manifest = readdirSync(folder).find((name) => name.endsWith('.manifest'));
  if (manifest === undefined) throw new AofFormatError(`${folder}: no manifest`);
  const lines = readFileSync(join(folder, manifest), 'utf8').split('\n');
  const parts = lines.flatMap((line) => {
    const [, file, seq, type] = /^file (\S+) seq (\d+) type ([bi])/.exec(line) ?? [];
    return file === undefined ? [] : [{ file, seq: Number(seq), isBase: type === 'b' }];
  });
  return parts.sort((a, b) => Number(b.isBase) - Number(a.isBase) || a.seq - b.seq);
}

function* transactionsOf(file: string, isBase: boolean): Generator<Transaction> {
  let second = 0;
  let open: string[][] | undefined;
  for (const entry of entriesOf(file)) {
    if (typeof entry === 'number') {
      second = entry;
      continue;
    }
    const name = entry[0]?.toUpperCase();
    if (name === 'MULTI') open = [];
    else if (name === 'EXEC') {
      if (open !== undefined) yield { commands: open, second, isBase };
      open = undefined;
    } else if (open !== undefined) open.push(entry);
    else if (name !== 'SELECT') yield { commands: [entry], second, isBase };
  }
}

/** Commands, and the seconds of time stamps. */
function* entriesOf(file: string): Generator<string[] | number> {
  const source = new Lines(file);
  try {
    for (let line = source.line(); line !== undefined; line = source.line()) {
      if (line.startsWith('#TS:')) yield Number(line.slice(4));
      else if (line.startsWith('*')) {
        const command = source.command(Number(line.slice(1)));
        if (command === undefined) return;
        yield command;
      } else if (line.startsWith('REDIS'))
        throw new AofFormatError(`${file}: an RDB preamble; set aof-use-rdb-preamble no`);
      else if (!line.startsWith('#'))
        throw new AofFormatError(`${file}: what is ${JSON.stringify(line.slice(0, 40))}?`);
    }
  } finally {
    source.close();
  }
}

const chunkBytes = 1 << 20;

/** A file in chunks, so that a large one does not have to fit into memory. */
class Lines {
  readonly #fd: number;
  #chunk = Buffer.alloc(0);
  #at = 0;

  constructor(file: string) {
    this.#fd = openSync(file, 'r');
  }

  /** Up to the next CRLF, which is not part of it; undefined when the file ends before. */
  line(): string | undefined {
    let end = this.#chunk.indexOf('\r\n', this.#at);
    while (end === -1) {
      if (!this.#more()) return undefined;
      end = this.#chunk.indexOf('\r\n', this.#at);
    }
    const text = this.#chunk.toString('latin1', this.#at, end);
    this.#at = end + 2;
    return text;
  }

  command(size: number): string[] | undefined {
    const parts: string[] = [];
    while (parts.length < size) {
      const header = this.line();
      if (header === undefined) return undefined;
      const bytes = Number(header.slice(1));
      if (!header.startsWith('$') || !Number.isSafeInteger(bytes))
        throw new AofFormatError(`no bulk string: ${header.slice(0, 40)}`);
      while (this.#chunk.length - this.#at < bytes + 2) if (!this.#more()) return undefined;
      parts.push(this.#chunk.toString('utf8', this.#at, this.#at + bytes));
      this.#at += bytes + 2;
    }
    return parts;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #more(): boolean {
    const next = Buffer.alloc(chunkBytes);
    const read = readSync(this.#fd, next);
    this.#chunk = Buffer.concat([this.#chunk.subarray(this.#at), next.subarray(0, read)]);
    this.#at = 0;
    return read > 0;
  }
}
