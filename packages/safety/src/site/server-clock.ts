/** A server's wall clock that a nemesis can set. Needs gcc; without one there is no such clock. */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** See `clock-shim.c`. Given as text, since the campaign runs as one bundled file. */
export interface ShimSource {
  readonly file: string;
}

export class ServerClock {
  readonly #folder: string;
  readonly #file: number;
  readonly #library: string;
  #offsetMs = 0;
  #furthestMs = 0;

  private constructor(folder: string, library: string) {
    this.#folder = folder;
    this.#library = library;
    this.#file = openSync(join(folder, 'offset'), 'w');
    ftruncateSync(this.#file, 8);
  }

  /** Undefined where there is no compiler. */
  static make({ file }: ShimSource): ServerClock | undefined {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-clock-'));
    const library = join(folder, 'clock-shim.so');
    try {
      execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-o', library, file, '-ldl'], { stdio: 'pipe' });
    } catch {
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    }
    return new ServerClock(folder, library);
  }

  /** What a server has to be started with. */
  get serverEnv(): Record<string, string> {
    return { LD_PRELOAD: this.#library, HOLDFAST_CLOCK_OFFSET: join(this.#folder, 'offset') };
  }

  /** How far the server's clock is ahead of ours. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  set(offsetMs: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(Math.round(offsetMs * 1_000)));
    writeSync(this.#file, bytes, 0, 8, 0);
    this.#offsetMs = offsetMs;
    this.#furthestMs = Math.max(this.#furthestMs, offsetMs);
  }

  /** How far it is behind the furthest that it ever was. */
  get lagMs(): number {
    return this.#furthestMs - this.#offsetMs;
  }

  /** Ends what setting it back has done: leases end as if it had never been. */
  heal(): void {
    this.set(this.#furthestMs);
  }

  remove(): void {
    closeSync(this.#file);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
