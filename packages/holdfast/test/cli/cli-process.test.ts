import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleProgram, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';

const kit = useRedis();
// A program is there in a moment, but not on a machine that has a dozen others to start.
jest.setTimeout(60_000);

let program: string;
beforeAll(async () => {
  program = await bundleProgram(fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url)));
});

/** The command line as a process of its own. */
class Program {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  output = '';
  errors = '';

  /** `detached`: away from the terminal in which the tests may run. */
  constructor(file: string, args: readonly string[], where: { readonly detached?: true } = {}) {
    const env = { ...process.env, REDIS_URL: kit.server.url };
    this.child = spawn(file, args, { env, stdio: 'pipe', ...where });
    this.child.stdout?.on('data', (chunk) => (this.output += String(chunk)));
    this.child.stderr?.on('data', (chunk) => (this.errors += String(chunk)));
    this.ended = once(this.child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals | null);
    kit.cleanup(async () => {
      this.child.kill('SIGKILL');
      await this.ended;
    });
  }

  /** The process that the command says it was started by. */
  get pidSaid(): number {
    return Number(/under (\d+)\./.exec(this.output)?.[1]);
  }

  said(words: string): Promise<unknown> {
    return waitUntil(() => this.output.includes(words), {
      what: `the program to say ${words}; it said ${this.output}${this.errors}`,
      timeoutMs: 20_000,
    });
  }
}

const holdfast = (...args: string[]) => new Program(process.execPath, [program, ...args]);
/** A command that says when it runs and does what `code` says. */
const node = (code: string) => ['--', process.execPath, '-e', code];
const forEver = 'setInterval(() => undefined, 1000); console.log("running")';
/** Says by whom it was started and what it is told, and at SIGTERM all of it. It ends by itself when it is alone. */
const counting = `
  const told = [];
  for (const signal of ["SIGINT", "SIGQUIT", "SIGHUP"]) process.on(signal, () => { told.push(signal); console.log("told " + signal); });
  process.on("SIGTERM", () => { console.log("in all " + told); process.exit(0); });
  const above = process.ppid;
  setInterval(() => process.ppid === above || process.exit(1), 1000);
  console.log("under " + above + ".");`;

describe('holdfast run', () => {
  it('runs a command while the lock is held, tells it the name, and ends as it does', async () => {
    const name = freshName();
    const code = `process.stdin.once("data", () => process.exit(7)); console.log("in " + process.env.HOLDFAST_LOCK_HELD)`;
    const call = holdfast('run', name, ...node(code));
    await call.said(`in ${name}`);
    expect(await holdsInRedis(kit, name)).toBe(1);
    call.child.stdin?.write('\n');
    expect(await call.ended).toBe(7);
    expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it('ends as the command does when Redis is away at the release, and says when others get the lock', async () => {
    const proxy = await openProxy(kit);
    const calls = [0, 5].map((code) => {
      const name = freshName();
      kit.cleanup(() => kit.admin.del(name));
      const command = node(`process.stdin.once("data", () => process.exit(${code})); console.log("running")`);
      return { code, name, call: holdfast('run', name, '--redis', proxy.url, '--timeout', '2s', ...command) };
    });
    await Promise.all(calls.map(({ call }) => call.said('running')));
    proxy.refuse();
    proxy.reset();
    for (const { call } of calls) call.child.stdin?.write('\n');
    for (const { code, name, call } of calls) {
      expect(await call.ended).toBe(code);
      expect(call.errors).toMatch(
        new RegExp(`^holdfast: ${name} could not be given back, others get it when its lease is over: .+\n$`),
      );
    }
  });

  it('ends with 75 when the lock is busy, and the command has not run', async () => {
    const name = freshName();
    const hold = await openClient(kit).getLock(name).acquire();
    const call = holdfast('run', name, '--wait', '0', ...node('console.log("ran")'));
    expect(await call.ended).toBe(75);
    expect(call.output).toBe('');
    expect(call.errors).toContain('busy');
    await hold.release();
  });

  it('waits for the lock, and gives up when it is told to end', async () => {
    const name = freshName();
    const client = openClient(kit);
    const hold = await client.getLock(name).acquire();
    const call = holdfast('run', name, ...node('console.log("ran")'));
    await waitUntil(async () => (await client.inspect(name)).queue.length === 1, {
      what: 'it waits',
      timeoutMs: 20_000,
    });
    call.child.kill('SIGTERM');
    expect(await call.ended).toBe(143);
    expect(call.output).toBe('');
    await hold.release();
    await waitUntil(async () => (await client.inspect(name)).queue.length === 0, { what: 'it has left the queue' });
  });

  it('when the lock is lost: says so once, ends the command, with SIGTERM and then with SIGKILL, and ends with 76', async () => {
    const [polite, stubborn] = [freshName(), freshName()];
    const deaf = `process.on("SIGTERM", () => console.log("no")); ${forEver}`;
    const calls = [
      holdfast('run', polite, '--grace', '1h', ...node(forEver)),
      holdfast('run', stubborn, '--grace', '50ms', ...node(deaf)),
    ];
    await Promise.all(calls.map((call) => call.said('running')));
    for (const name of [polite, stubborn]) await openClient(kit).getLock(name).forceUnlock();
    expect(await Promise.all(calls.map((call) => call.ended))).toEqual([76, 76]);
    for (const { errors } of calls) expect(errors).toMatch(/^holdfast: .*; ending the command\n$/);
  });

  it('ends a command whose lock is lost before anybody listens for that: it took too long to start', async () => {
    const slow = `import children from 'node:child_process';
      import { syncBuiltinESMExports } from 'node:module';
      const { spawn } = children;
      children.spawn = (...args) => {
        const child = spawn(...args);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        return child;
      };
      syncBuiltinESMExports();`;
    const preloaded = ['--import', `data:text/javascript,${encodeURIComponent(slow)}`, program];
    const args = ['run', freshName(), '--lease', '200ms', ...node('setTimeout(() => undefined, 5_000)')];
    const call = new Program(process.execPath, [...preloaded, ...args]);
    expect(await call.ended.then((code) => ({ code, errors: call.errors }))).toEqual({
      code: 76,
      errors: expect.stringMatching(/^holdfast: .*; ending the command\n$/),
    });
  });

  it('passes signals on to the command, and says so when there is no such command', async () => {
    const name = freshName();
    const call = holdfast('run', name, ...node(`process.on("SIGTERM", () => process.exit(3)); ${forEver}`));
    await call.said('running');
    call.child.kill('SIGTERM');
    expect(await call.ended).toBe(3);
    expect(await holdsInRedis(kit, name)).toBe(0);
    expect(await holdfast('run', name, '--', './there-is-no-such-command').ended).toBe(127);
    expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it('passes on what a terminal could have sent, where there is none', async () => {
    const call = new Program(process.execPath, [program, 'run', freshName(), ...node(counting)], { detached: true });
    await call.said('under');
    process.kill(call.pidSaid, 'SIGINT');
    await call.said('told SIGINT');
    process.kill(call.pidSaid, 'SIGQUIT');
    await call.said('told SIGQUIT');
    process.kill(call.pidSaid, 'SIGTERM');
    expect(await call.ended).toBe(0);
    expect(call.output).toContain('in all SIGINT,SIGQUIT\n');
  });
});

/** util-linux has a program that gives another one a terminal; others of that name do not know its options. */
function hasTerminals(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8', stdio: 'pipe' }).includes('util-linux');
  } catch {
    return false;
  }
}

const withTerminals = hasTerminals();
if (!withTerminals) process.stderr.write('skipped: the command line in a terminal: no script program of util-linux\n');

/** The command line in a terminal of its own, in place of the shell that is started there: some shells answer Ctrl+C themselves. */
const inTerminal = (...args: string[]) => inTerminalAs('holdfast', ...args);
/** `line`: how a shell is told to call it. */
const inTerminalAs = (line: string, ...args: string[]) => {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const called = line.replace('holdfast', () => `exec ${command}`);
  return new Program('script', ['-qfec', `stty rows 12 cols 60; ${called}`, '/dev/null']);
};

(withTerminals ? describe : describe.skip)('in a terminal', () => {
  it('watch draws the table, again when something changes; Ctrl+C ends it, and the terminal is as it was', async () => {
    const name = freshName();
    const hold = await openClient(kit).getLock(name).acquire();
    const call = inTerminal('watch', `${name}*`, '--every', '100ms');
    // The terminal may be too narrow for all of it.
    await call.said(name.slice(0, 6));
    expect(call.output).toContain('1 held');
    await hold.release();
    await call.said('0 held');
    call.child.stdin?.write('\u0003');
    expect(await call.ended).toBe(0);
    expect(call.output).toContain('\u001B[?1049h');
    expect(call.output.slice(call.output.lastIndexOf('\u001B[J'))).toContain('\u001B[?25h\u001B[?1049l');
  });

  it('unlock asks before it takes a lock, and takes no for an answer', async () => {
    const name = freshName();
    const hold = await openClient(kit).getLock(name).acquire();
    const refused = inTerminal('unlock', name);
    await refused.said('[y/N]');
    refused.child.stdin?.write('n\n');
    expect(await refused.ended).toBe(1);
    expect(hold.state).toBe('held');
    const taken = inTerminal('unlock', name);
    await taken.said('[y/N]');
    taken.child.stdin?.write('y\n');
    expect(await taken.ended).toBe(0);
    expect(taken.output).toContain(`took ${name} from`);
    await waitUntil(() => hold.state === 'lost', { what: 'the holder is told' });
  });

  // SIGTERM goes the way of what was passed on before it, and comes in behind it.
  // A shell that waits for a pipe gets the keys as well, and its end would hang up on all of them.
  it.each(['holdfast', 'holdfast </dev/null', 'trap "" INT QUIT HUP; holdfast 2>&1 | cat'])(
    'run: its keys reach the command once, and other signals are passed on once: %s',
    async (line) => {
      const call = inTerminalAs(line, 'run', freshName(), ...node(counting));
      await call.said('under');
      call.child.stdin?.write('\u0003');
      await call.said('told SIGINT');
      call.child.stdin?.write('\u001C');
      await call.said('told SIGQUIT');
      process.kill(call.pidSaid, 'SIGHUP');
      await call.said('told SIGHUP');
      process.kill(call.pidSaid, 'SIGTERM');
      await call.said('in all');
      expect(call.output).toContain('in all SIGINT,SIGQUIT,SIGHUP\r\n');
    },
  );

  it('run: its keys reach a command that has left the terminal', async () => {
    const [, ...command] = node(counting);
    const call = inTerminal('run', freshName(), '--', 'setsid', ...command);
    await call.said('under');
    call.child.stdin?.write('\u0003');
    await call.said('told SIGINT');
    process.kill(call.pidSaid, 'SIGTERM');
    expect(await call.ended).toBe(0);
    expect(call.output).toContain('in all SIGINT\r\n');
  });
});

describe('in a pipe whose reader goes away', () => {
  /** What the shell says that the command has ended with. */
  const piped = async (reader: string, ...args: string[]) => {
    const line = `{ "$@"; echo "ended with $?" >&2; } | ${reader}`;
    const call = new Program('/bin/sh', ['-c', line, 'sh', process.execPath, program, ...args]);
    await call.ended;
    return call.errors;
  };

  it('a command that ends by itself ends with the code that it has without', async () => {
    expect(await piped('true', 'inspect', freshName())).toBe('ended with 1\n');
    expect(await piped('head -n 0', 'doctor', '--redis', 'redis://127.0.0.1:1', '--timeout', '200ms')).toBe(
      'ended with 69\n',
    );
    expect(await piped('true', 'ls', '--json')).toBe('ended with 0\n');
  });

  it('watch ends at once', async () => {
    const hold = await openClient(kit).getLock(freshName()).acquire();
    expect(await piped('true', 'watch', hold.name, '--json', '--every', '1h')).toBe('ended with 0\n');
    await hold.release();
  });
});

it('a command that nothing is left to wait for is no success: it says so and ends with 70', async () => {
  const deaf = `import net from 'node:net';
    net.Socket.prototype.connect = function () { return this; };
    const { setTimeout: real } = globalThis; globalThis.setTimeout = (...args) => real(...args).unref();`;
  const call = new Program(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(deaf)}`,
    program,
    'ls',
  ]);
  expect(await call.ended).toBe(70);
  expect(call.errors).toBe('holdfast: the command has not come to its end: nothing is left that it could wait for\n');
});

/** Where nothing can be written: the disk is always full there. */
const full = '/dev/full';

(existsSync(full) ? describe : describe.skip)('where nothing can be written', () => {
  const inShell = (...args: string[]) =>
    new Program('/bin/sh', ['-c', `exec "$@" ${args.pop()}`, 'sh', process.execPath, program, ...args]);

  it('a command whose lock is lost is ended all the same, with 76', async () => {
    const name = freshName();
    const call = inShell(
      'run',
      name,
      '--grace',
      '1s',
      ...node(`process.on("SIGTERM", () => undefined); ${forEver}`),
      `2>${full}`,
    );
    await call.said('running');
    await kit.admin.del(name);
    await openClient(kit, { watchdogTimeoutMs: 60_000 }).getLock(name).tryLock();
    expect(await call.ended).toBe(76);
  });

  it('no answer is given that could be taken for one: the end is 70, and it is said why', async () => {
    const name = freshName();
    await openClient(kit).getLock(name).acquire();
    const call = inShell('inspect', name, `>${full}`);
    expect(await call.ended).toBe(70);
    expect(call.errors).toContain('cannot be written');
  });
});

describe('on a server that is not safe for locks', () => {
  const errorsOf = async (...args: string[]) => {
    const server = await startPrivateRedis({ args: ['--maxmemory', '1gb', '--maxmemory-policy', 'allkeys-lru'] });
    kit.cleanup(() => server.stop());
    const call = holdfast(...args.slice(0, 1), '--redis', server.url, ...args.slice(1));
    await call.ended;
    return call.errors;
  };

  it('nothing but errors stands on the standard error', async () => {
    expect(await errorsOf('ls', '--json')).toBe('');
  });

  it('run says so, in its own form', async () => {
    const lines = (await errorsOf('run', '--json', freshName(), '--', 'true')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { error: { code: 'UNSAFE_SETTING', message: expect.stringContaining('maxmemory-policy allkeys-lru') } },
    ]);
  });
});
