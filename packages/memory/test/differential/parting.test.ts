import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { knownScripts } from '../../src/server/known-scripts.js';
import { partings, toldOf, writtenIn } from './parting.js';

const root = new URL('../../../../', import.meta.url);
const call = (name: string) => ({ kind: 'call', name, keys: [], args: [] }) as const;

describe('where the memory server parts from a real one', () => {
  it('only what differs is told, with what it is', () => {
    const real = new Map([
      ['answer', '["acquired","q"]'],
      ['published', '[]'],
      ['stock', '["hash",10000,["a:1","1"]]'],
      ['{stock}:dead', 'none'],
    ]);
    const memory = new Map(real).set('stock', 'none');
    expect(partings(real, memory)).toEqual([{ of: 'stock', real: '["hash",10000,["a:1","1"]]', memory: 'none' }]);
    expect(partings(real, real)).toEqual([]);
  });

  it('a text that goes on where the other ends is no equal one', () => {
    expect(partings(new Map([['answer', '[1']]), new Map([['answer', '[1,2']]))).toHaveLength(1);
  });

  it('one answer more is told', () => {
    const more = partings(
      new Map([['answer 1', 'a']]),
      new Map([...[1, 2].map((at) => [`answer ${at}`, 'a'] as const)]),
    );
    expect(more).toEqual([{ of: 'answer 2', real: 'nothing', memory: 'a' }]);
  });

  it('the step, the files and what is not the same are told in lines', () => {
    const step = { ...call('handoff'), args: ['a:1', '3'] };
    expect(toldOf(step, 0, [{ of: 'stock', real: '3', memory: '7' }]).split('\n')).toEqual([
      'not the same after handoff a:1 3',
      '  packages/core/src/lock/handoff.lua',
      '  packages/memory/src/server/scripts/handoff.ts',
      '  stock',
      '    real   3',
      '    memory 7',
    ]);
  });

  it.each(knownScripts.map(({ name }) => name))('the Lua and its twin are named: %s', (name) => {
    const [lua = '', twin = ''] = writtenIn(call(name), 0);
    expect(existsSync(new URL(lua, root))).toBe(true);
    expect(readFileSync(new URL(twin, root), 'utf8')).toMatch(new RegExp(`\\b${name.split('/').at(-1)}\\b`));
  });
});
