import { readFileSync } from 'node:fs';

/** A row of a guide: what is to be done, and the code for it before and after. */
export interface GuideRow {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The rows of the tables of a document in docs/moving that show code, table by table: those whose third column is headed "what you write" or "in Node.js".
 */
export function guideOf(document: string): GuideRow[][] {
  const tables = textOf(document)
    .split('\n\n')
    .filter((part) => /^\| to \| .* \| (what you write|in Node\.js) \|\n/.test(part));
  return tables.map((table) => table.trim().split('\n').slice(2).map(rowOf));
}

/** The script that docs/moving/from-set-nx.md gives locks back by. */
export const unlock = (/```lua\n([^`]*)```/.exec(textOf('from-set-nx')) as RegExpExecArray)[1] as string;

function textOf(document: string): string {
  return readFileSync(new URL(`../../../../docs/moving/${document}.md`, import.meta.url), 'utf8');
}

function rowOf(line: string): GuideRow {
  const [, what, before, after, ...rest] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  if (what === undefined || before === undefined || after === undefined || rest.length !== 1)
    throw new Error(`three columns were expected: ${line}`);
  return { what, before: codeOf(before), after: codeOf(after) };
}

/** A cell has one line of code, or several with `<br>` between them. */
function codeOf(cell: string): string {
  const lines = cell.split('<br>').map((line) => /^`(.*)`$/.exec(line)?.[1]);
  if (lines.includes(undefined)) throw new Error(`code was expected: ${cell}`);
  return lines.join('\n');
}

const AsyncFunction = (async () => undefined).constructor as new (
  ...args: string[]
) => (...values: unknown[]) => Promise<unknown>;

/** Runs code of a guide. Of one expression, it resolves with the value; of statements, with undefined. */
export function runCode(code: string, names: Readonly<Record<string, unknown>>): Promise<unknown> {
  const body = /[;{]\s*(\n|$)/.test(code) ? code : `return (${code});`;
  return new AsyncFunction(...Object.keys(names), body)(...Object.values(names));
}
