import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { scripts: Record<string, string> };
const page = readFileSync(`${root}/CONTRIBUTING.md`, 'utf8');

/** The programs that a script starts, itself: the first word of each of its commands. */
const programsOf = (script: string) => script.split('&&').map((command) => command.trim().split(' ', 1)[0] ?? '');
const isInstalled = (program: string) => program === 'node' || existsSync(`${root}/node_modules/.bin/${program}`);

describe('the commands of package.json', () => {
  it('start nothing but Node and what the workspace has installed', () => {
    const programs = Object.values(scripts).flatMap(programsOf);
    expect(programs.filter((program) => !isInstalled(program))).toEqual([]);
  });

  it('are all that CONTRIBUTING.md speaks of', () => {
    const named = [...page.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(page).not.toMatch(/npx pnpm/);
  });
});
