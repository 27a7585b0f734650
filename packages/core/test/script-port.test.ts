import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { lockKeys, peek, run, type ScriptPort, start } from '../src/index.js';
import * as scripts from '../src/lock/scripts.gen.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const all = Object.values(scripts);
const command = peek(lockKeys('x'), { tenure: 'a:1' });

describe('run', () => {
  function spied(port: ScriptPort) {
    const calls: string[] = [];
    const spy: ScriptPort = {
      evalsha: (...args) => {
        calls.push('evalsha');
        return port.evalsha(...args);
      },
      eval: (...args) => {
        calls.push('eval');
        return port.eval(...args);
      },
    };
    return { spy, calls };
  }

  it('sends EVAL once to a node that does not know the script, and EVALSHA alone afterwards', async () => {
    await server.redis.script('FLUSH');
    const { spy, calls } = spied(server.port);
    await run(spy, command);
    expect(calls).toEqual(['evalsha', 'eval']);
    await run(spy, command);
    expect(calls).toEqual(['evalsha', 'eval', 'evalsha']);
  });

  it('passes any other error on, and sends nothing more', async () => {
    const failure = new Error('READONLY You can not write against a read only replica.');
    const { spy, calls } = spied({ evalsha: () => Promise.reject(failure), eval: () => Promise.resolve([]) });
    await expect(run(spy, command)).rejects.toBe(failure);
    expect(calls).toEqual(['evalsha']);
  });

  it('sends EVAL only once, even if the node still does not know the script', async () => {
    const failure = new Error('NOSCRIPT No matching script.');
    const { spy, calls } = spied({ evalsha: () => Promise.reject(failure), eval: () => Promise.reject(failure) });
    await expect(run(spy, command)).rejects.toBe(failure);
    expect(calls).toEqual(['evalsha', 'eval']);
  });

  it('sends a script in full once, and once more where that was refused: it may not have been read', async () => {
    const replies = [new Error('LOADING Redis is loading the dataset in memory'), undefined, undefined];
    const { spy, calls } = spied(server.port);
    const port: ScriptPort = {
      ...spy,
      inFull: new Set(),
      eval: (...args) => {
        const refusal = replies.shift();
        return refusal === undefined ? spy.eval(...args) : Promise.reject(refusal);
      },
    };
    const inFull = () => new Promise((onReply, onError) => start(port, command, { onReply, onError }, 'in full'));
    await expect(inFull()).rejects.toThrow('LOADING');
    await inFull();
    await inFull();
    expect(calls).toEqual(['eval', 'evalsha']);
  });

  it('rejects when the reply is not one of the script', async () => {
    const { spy } = spied({ evalsha: () => Promise.resolve('OK'), eval: () => Promise.resolve('OK') });
    await expect(run(spy, command)).rejects.toMatchObject({ code: 'HOLDFAST_PROTOCOL' });
  });
});

describe('the generated scripts', () => {
  it('are those of the .lua files', () => {
    const root = new URL('../../../', import.meta.url);
    expect(spawnSync('node', ['scripts/gen-lua.mjs', '--check'], { cwd: root }).status).toBe(0);
  });

  it.each(all.map((script) => [script.name, script] as const))(
    '%s has the SHA that Redis computes',
    async (_, script) => {
      expect(await server.redis.script('LOAD', script.source)).toBe(script.sha);
    },
  );

  const luacheck = spawnSync('luacheck', ['--version']).error === undefined;
  (luacheck ? it : it.skip).each(all.map((script) => [script.name, script] as const))(
    '%s is clean Lua',
    (_, script) => {
      const options = ['--std', 'lua51', '--globals', 'redis', 'KEYS', 'ARGV', '--no-max-line-length', '--no-color'];
      expect(() => execFileSync('luacheck', [...options, '-'], { input: script.source })).not.toThrow();
    },
  );
});
