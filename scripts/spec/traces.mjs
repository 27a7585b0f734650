// Traces: random walks through spec/queue.pml, as steps that the real client can be made to take and what must be true after each.
// packages/holdfast/test/proof/traces.test.ts replays them.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { walks } from '../../spec/walks.mjs';
import { root } from '../run.mjs';
import { capture, switches } from './search.mjs';

const folder = join(root, 'spec', 'traces');
const most = 40_000;

/**
 * @typedef {object} Step
 * @property {string} do   what happens
 * @property {number} who  the process; for late copies, the slot
 * @property {{ owner: number | null, count: number, queue: number[], processes: object[] }} after
 */

/** @param {string} printed by the simulation @returns {Step[]} */
export function stepsOf(printed) {
  const steps = [];
  const process = (tenure) => Number(tenure) - 1;
  for (const [, line] of printed.matchAll(/^@ (.*)$/gm)) {
    const [kind, ...words] = line.split(' ');
    const after = steps.at(-1)?.after;
    if (kind === 'do')
      steps.push({ do: words[0], who: Number(words[1]), after: { owner: null, count: 0, queue: [], processes: [] } });
    else if (kind === 'owner' && words[0] !== '0')
      Object.assign(after, { owner: process(words[0]), count: Number(words[1]) });
    else if (kind === 'queued') after.queue.push([Number(words[0]), process(words[1])]);
    else if (kind === 'process')
      after.processes.push({
        inside: Number(words[1]),
        sent: [],
        answers: Number(words[2]),
        messages: Number(words[3]),
      });
    else if (kind === 'sent') after.processes[Number(words[0])].sent.push(words[1].toLowerCase());
  }
  for (const { after } of steps) after.queue = after.queue.sort(([a], [b]) => a - b).map(([, who]) => who);
  return steps;
}

async function walk({ set, seed }, temporary) {
  const model = join(root, 'spec', 'queue.pml');
  const args = [...switches({ set: `${set} NO_REASK TRACE` }), `-n${seed}`, '-T', `-u${most}`, model];
  const { said } = await capture('spin', args, { cwd: temporary });
  return stepsOf(said);
}

/** Every walk as the text of its file. @returns {Promise<Map<string, string>>} */
async function made(temporary) {
  const files = new Map();
  for (const { name, set, seeds } of walks)
    for (const seed of seeds) {
      const steps = (await walk({ set, seed }, temporary)).map((step) => `    ${JSON.stringify(step)}`);
      files.set(
        `${name}-${seed}.json`,
        `{\n  "set": "${set}",\n  "seed": ${seed},\n  "steps": [\n${steps.join(',\n')}\n  ]\n}\n`,
      );
    }
  return files;
}

/** @param {string} temporary a folder @returns {Promise<number>} how many */
export async function writeTraces(temporary) {
  const files = await made(temporary);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return files.size;
}

/** @returns {Promise<string[]>} names of files that are not what the model says today */
export async function staleTraces(temporary) {
  const files = await made(temporary);
  const extra = readdirSync(folder).filter((name) => !files.has(name));
  const current = (name) => {
    try {
      return readFileSync(join(folder, name), 'utf8');
    } catch {
      return undefined;
    }
  };
  return [...extra, ...[...files].filter(([name, text]) => current(name) !== text).map(([name]) => name)];
}
