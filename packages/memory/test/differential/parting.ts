/** What is told of a place where two servers part: that which is not the same, and the files in which it is written. */

import { existsSync } from 'node:fs';
import type { Step } from './story.js';

const root = new URL('../../../../', import.meta.url);
const RULES = 'packages/memory/src/server';

/** One thing of which two servers say something else, each from a little before the place where they part. */
export interface Parting {
  readonly of: string;
  readonly real: string;
  readonly memory: string;
}

/** What differs; all that is the same is left out. */
export function partings(real: ReadonlyMap<string, string>, memory: ReadonlyMap<string, string>): Parting[] {
  const all = [...new Set([...real.keys(), ...memory.keys()])];
  return all
    .filter((of) => real.get(of) !== memory.get(of))
    .map((of) => ({ of, ...apart(real.get(of) ?? 'nothing', memory.get(of) ?? 'nothing') }));
}

function apart(real: string, memory: string): { real: string; memory: string } {
  let at = 0;
  while (at < real.length && real[at] === memory[at]) at++;
  const from = Math.max(0, at - 120);
  return { real: real.slice(from, at + 400), memory: memory.slice(from, at + 400) };
}

/** What somebody has to know who looks for the cause. */
export function toldOf(step: Step, other: number, parted: readonly Parting[]): string {
  const did = step.kind === 'call' ? [step.name, ...step.args].join(' ') : JSON.stringify(step);
  const told = parted.map(({ of, real, memory }) => `  ${of}\n    real   ${real}\n    memory ${memory}`);
  return [`not the same after ${did}`, ...writtenIn(step, other).map((file) => `  ${file}`), ...told].join('\n');
}

/** Of a script the Lua and its twin; the second of the servers in memory executes the Lua. Of another command the file where it is one. */
export function writtenIn(step: Step, other: number): string[] {
  if (step.kind !== 'call') return [`${RULES}/commands.ts`];
  const lua = `packages/core/src/${step.name.includes('/') ? '' : 'lock/'}${step.name}.lua`;
  return [lua, other === 0 ? twinOf(step.name) : 'packages/memory/src/lua'];
}

/** The script's own file, or that of its primitive, or the list that says where each of them is. */
function twinOf(script: string): string {
  const [primitive] = script.split('/');
  const files = [script, primitive, `${primitive}/index`].map((name) => `${RULES}/scripts/${name}.ts`);
  return files.find((file) => existsSync(new URL(file, root))) ?? `${RULES}/scripts/index.ts`;
}
