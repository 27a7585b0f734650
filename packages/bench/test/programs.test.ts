import { spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { TestWorker } from '@holdfast/testkit';
import { byLines } from '../src/programs/by-lines.js';
import { findPrograms } from '../src/programs/find.js';
import { causeOf, goOf, modulesOf } from '../src/programs/go.js';
import { javaOf, redissonOf } from '../src/programs/java.js';
import { ProgramUnavailable } from '../src/programs/program.js';
import { roundOf } from '../src/workloads/loop-case.js';

/** Answers every call with its arguments, and prints what is no message in between. */
const echo = `
  const say = (message) => console.log(JSON.stringify(message));
  say({ kind: 'ready' });
  require('node:readline').createInterface(process.stdin).on('line', (line) => {
    const { kind, id, method, args } = JSON.parse(line);
    console.log('a warning of a library');
    if (method === 'fail') say({ kind: 'error', id, error: { name: 'Refused', message: 'no' } });
    else say({ kind: 'result', id, value: args });
  });
`;

describe('a program of another language', () => {
  it('is a worker like those in Node, by lines through its standard streams', async () => {
    const worker = new TestWorker(byLines(spawn(process.execPath, ['-e', echo])));
    try {
      await worker.ready;
      expect(await Promise.all([worker.call('loop', 'a', 1), worker.call('loop', 'b', 2)])).toEqual([
        ['a', 1],
        ['b', 2],
      ]);
      await expect(worker.call('fail')).rejects.toMatchObject({ name: 'Refused', message: 'no' });
    } finally {
      await worker.stop();
    }
  });

  it('that cannot be made is told of in one line, and the others run', async () => {
    const missing: string[] = [];
    const go = { command: 'it', args: [], versions: {} };
    const found = await findPrograms(['java', 'go'], (language, why) => missing.push(`${language}: ${why}`), {
      java: () => Promise.reject(new ProgramUnavailable('there is no JDK')),
      go: () => Promise.resolve(go),
    });
    expect(found).toEqual({ go });
    expect(missing).toEqual(['java: there is no JDK']);
  });

  it('that is there and broken fails the run', async () => {
    const broken = () => Promise.reject(new Error('does not compile'));
    const made = findPrograms(['java'], () => undefined, { java: broken, go: broken });
    await expect(made).rejects.toThrow('does not compile');
  });

  it('has no commands and no timers in its figures, for it counts none', () => {
    const report = { served: [4], sections: 4, failures: [], acquire: [], timeline: [], mostInside: 1 };
    const { figures } = roundOf([{ ...report, resources: { cpuUs: 400 } }], 80, 1_000);
    expect(figures).toEqual({ opsPerSecond: 4, clientCpuUs: 100, redisCpuUs: 20 });
  });
});

describe('the report', () => {
  it('knows what ran by what the tools say', () => {
    expect(redissonOf('<properties><redisson.version>4.7.0</redisson.version></properties>')).toBe('4.7.0');
    expect(javaOf('openjdk 17.0.15 2025-04-15\nOpenJDK Runtime Environment')).toBe('17.0.15');
    expect(javaOf('openjdk 25 2025-09-16')).toBe('25');
    expect(goOf('go version go1.26.8 linux/amd64')).toBe('1.26.8');
    expect([redissonOf(''), javaOf(''), goOf('')]).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('knows the versions of Go libraries by what go.mod requires', () => {
    const text =
      'module holdfast/bench\n\ngo 1.26.0\n\nrequire github.com/one/a v1.0.0\n\nrequire (\n\tgithub.com/two/b/v4 v4.18.1\n)\n';
    const indirect = 'require (\n\tgo.uber.org/atomic v1.12.0 // indirect\n)\n';
    expect(modulesOf(text + indirect)).toEqual({ 'github.com/one/a': '1.0.0', 'github.com/two/b/v4': '4.18.1' });
  });
});

describe('a build in Go that fails', () => {
  it('leaves Go out where modules cannot be had, and fails the run where we are wrong', () => {
    const unreachable = causeOf(
      'go: downloading it v1.0.0\ngo: it@v1.0.0: Get "https://proxy": dial tcp: no route to host\n',
    );
    expect(unreachable).toBeInstanceOf(ProgramUnavailable);
    expect(unreachable.message).toMatch(/^Go cannot get what it needs: .*no route to host$/);
    expect(causeOf('./loop.go:12:2: undefined: x')).not.toBeInstanceOf(ProgramUnavailable);
  });
});
