import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plan } from '../plan.js';
import type { SoakResult } from '../result.js';
import { figures } from './markdown.js';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url));
const page = fileURLToPath(new URL('../../../../../docs/soak.md', import.meta.url));
const BEGIN = '<!-- figures: written by npm run soak -- --report -->';
const END = '<!-- end of figures -->';

const fileOf = ({ out, extent }: Pick<Plan, 'out' | 'extent'>): string =>
  out ?? `${cache}soak-${extent === 'short' ? 'short' : 'full'}.json`;

/** @returns where it is. */
export function save(plan: Plan, result: SoakResult): string {
  const file = fileOf(plan);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, undefined, 1)}\n`);
  return file;
}

/** @returns the page. */
export function writeReport(plan: Plan): string {
  const result = JSON.parse(readFileSync(fileOf(plan), 'utf8')) as SoakResult;
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`${page} has no place for figures: ${BEGIN} … ${END}`);
  writeFileSync(page, `${text.slice(0, from)}${BEGIN}\n\n${figures(result)}\n${text.slice(to)}`);
  return page;
}
