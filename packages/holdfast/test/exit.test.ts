import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundleProgram, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freshName, holdsInRedis, openClient } from './support/clients.js';

const kit = useRedis();

// A program is there in a moment, but not on a machine that has a dozen others to start.
jest.setTimeout(30_000);

let script: string;

beforeAll(async () => {
  script = await bundleProgram(fileURLToPath(new URL('./support/exit.script.ts', import.meta.url)));
});

/** A program of `support/exit.script.ts`, with nothing between it and its end. */
class Program {
  /** How it ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  errors = '';
  #output = '';
  #hasEnded = false;
  readonly #child: ChildProcess;

  constructor(program: string, name: string) {
    const args = [script, program, kit.server.url, name];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    child.stdout.on('data', (chunk) => (this.#output += String(chunk)));
    child.stderr.on('data', (chunk) => (this.errors += String(chunk)));
    this.ended = once(child, 'close').then(([code, signal]: (number | NodeJS.Signals | null)[]) => {
      this.#hasEnded = true;
      return code ?? signal ?? null;
    });
    kit.cleanup(async () => {
      child.kill('SIGKILL');
      await this.ended;
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** What it has said, a word for each line. */
  get words(): string[] {
    return this.#output.split('\n').slice(0, -1);
  }

  /** Waits until it has said something that begins so; answers it. */
  said(word: string): Promise<string> {
    return waitUntil(() => this.words.find((line) => line.startsWith(word)), {
      what: `the program to say "${word}"; errors: ${this.errors}`,
      timeoutMs: 10_000,
    });
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }
}

const queued = (name: string) => {
  const client = openClient(kit);
  return waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'it is in the queue' });
};

/** What Redis knows of a lock, apart from tombstones, which speak of commands and not of owners, and end by themselves. */
const left = async (name: string) => {
  const keys = await kit.admin.keys(`*${name}*`);
  const isTombstone = (key: string) => key.startsWith('holdfast_dead:');
  for (const key of keys.filter(isTombstone)) expect(await kit.admin.pttl(key)).not.toBe(-1);
  return keys.filter((key) => !isTombstone(key));
};

describe('a script', () => {
  it('that closes its client ends with 0, one that forgets to stays', async () => {
    const name = freshName();
    const forgetful = new Program('forgets to close', name);
    await forgetful.said('done');
    const closing = new Program('closes', name);
    expect(await closing.ended).toBe(0);
    expect(closing.words).toEqual(['done']);
    expect(forgetful.hasEnded).toBe(false);
    forgetful.terminate();
    expect(await forgetful.ended).toBe('SIGTERM');
  });

  it.each(['disconnects', 'quits'])(
    'that %s its client of ioredis ends with 0, also when Redis was down: holdfast/redlock keeps no connection for messages',
    async (end) => {
      const program = new Program(`takes its lock by redlock while Redis is down, and ${end}`, freshName());
      expect(await program.ended).toBe(0);
      expect(program.words).toEqual(['ExecutionError', 'reconnecting']);
    },
  );

  it('that has made a client and never used it ends by itself', async () => {
    expect(await new Program('never locks', freshName()).ended).toBe(0);
  });

  it('that fails with a lock held ends with 1, and `await using` has given the lock back', async () => {
    const name = freshName();
    const program = new Program('fails with a lock held', name);
    expect(await program.ended).toBe(1);
    expect(program.errors).toContain('RangeError: of the program');
    expect(await left(name)).toEqual([]);
  });

  it('that waits for a lock is kept alive by the wait, and ends with 0 when it has been served', async () => {
    const name = freshName();
    const hold = await openClient(kit).getLock(name).acquire();
    const program = new Program('waits and is served', name);
    await program.said('waits');
    await queued(name);
    await hold.release();
    expect(await program.ended).toBe(0);
    expect(program.words).toEqual(['waits', 'served']);
    expect(await left(name)).toEqual([]);
  });

  it('that is closed while it waits hears so, leaves the queue, and ends with 0', async () => {
    const name = freshName();
    const hold = await openClient(kit).getLock(name).acquire();
    const program = new Program('waits and is closed', name);
    await queued(name);
    program.terminate();
    expect(await program.ended).toBe(0);
    expect(program.words).toEqual(['waits', 'LOCK_CLIENT_CLOSED']);
    expect(await left(name)).toEqual([name]);
    await hold.release();
  });
});

/** Who takes a lock away can say so only to a process that listens already; else the next renewal finds the lock gone. */
const somebodyListens = () =>
  waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length > 0, { what: 'its inbox' });

describe('a lost lock', () => {
  it('ends the process with 1 when nobody catches the LockLostError, which says what happened', async () => {
    const name = freshName();
    const program = new Program('leaves a loss uncaught', name);
    await program.said('holds');
    await somebodyListens();
    expect(await openClient(kit).getLock(name).forceUnlock()).toBe(true);
    expect(await program.ended).toBe(1);
    expect(program.errors).toContain(`LockLostError: Lock "${name}" was lost: force-unlocked`);
    expect(program.errors).toContain("code: 'LOCK_LOST'");
  });

  it('ends nothing by itself: a program that relies on no call hears of it as an event', async () => {
    const name = freshName();
    const program = new Program('hears of a loss', name);
    await program.said('holds');
    await somebodyListens();
    await openClient(kit).getLock(name).forceUnlock();
    expect(await program.ended).toBe(0);
    expect(program.words).toEqual(['holds', 'force-unlocked']);
    expect(program.errors).toBe('');
  });
});

describe('SIGTERM with close({ drainMs })', () => {
  const serving = async (server: string) => {
    const name = freshName();
    const program = new Program(server, name);
    const port = (await program.said('port')).slice('port '.length);
    const answer = fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    await program.said('serving');
    expect(await holdsInRedis(kit, name)).toBe(1);
    program.terminate();
    return { name, program, text: await (await answer).text() };
  };

  it('lets a server finish what it serves, and leaves no lock', async () => {
    const { name, program, text } = await serving('server that finishes');
    expect(text).toBe('done');
    expect(await program.ended).toBe(0);
    expect(await left(name)).toEqual([]);
  });

  it('takes the lock back from a server that does not finish in time, and leaves no lock either', async () => {
    const { name, program, text } = await serving('server that does not finish');
    expect(text).toBe('LOCK_LOST');
    expect(await program.ended).toBe(0);
    expect(await left(name)).toEqual([]);
  });

  it('ends a worker that locks all the time with 0, and leaves no lock', async () => {
    const name = freshName();
    const program = new Program('worker', name);
    await program.said('works');
    program.terminate();
    expect(await program.ended).toBe(0);
    expect(await left(name)).toEqual([]);
  });
});

describe('a process that holds, waits and nests', () => {
  it('at SIGTERM finishes what it can, hears the rest, ends with 0 and leaves no lock and no place in a queue', async () => {
    const name = freshName();
    const elsewhere = await openClient(kit).getLock(`${name}-elsewhere`).acquire();
    const program = new Program('holds, waits and nests', name);
    await Promise.all([program.said('holds'), program.said('waits')]);
    await queued(`${name}-elsewhere`);
    program.terminate();
    expect(await program.ended).toBe(0);
    const closed = 'LOCK_CLIENT_CLOSED';
    expect(program.words.slice(0, 2).sort()).toEqual(['holds', 'waits']);
    expect(program.words.slice(2)).toEqual(['nested', 'done', closed, closed, closed, 'LOCK_LOST']);
    expect(await left(name)).toEqual([`${name}-elsewhere`]);
    await elsewhere.release();
    expect(await left(name)).toEqual([]);
  });
});

describe('a thread', () => {
  it('that closes its client when the process is told to end leaves no lock, and ends by itself', async () => {
    const name = freshName();
    const program = new Program('has a thread that closes when told', name);
    await program.said('holds');
    program.terminate();
    expect(await program.ended).toBe(0);
    expect(program.words).toEqual(['holds', 'exit 0']);
    expect(await left(name)).toEqual([]);
  });

  it('that is terminated with a lock held leaves it to the lease, and keeps nobody alive', async () => {
    const name = freshName();
    const program = new Program('ends a thread that holds', name);
    expect(await program.ended).toBe(0);
    expect(program.words).toEqual(['terminated']);
    await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'its lease ends', timeoutMs: 4_000 });
  });

  it('that leaves a LockLostError uncaught ends alone: the process goes on', async () => {
    const program = new Program('has a thread that fails', freshName());
    expect(await program.ended).toBe(0);
    expect(program.words).toEqual(['LOCK_LOST']);
  });
});
