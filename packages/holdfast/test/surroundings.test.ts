import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../../', import.meta.url));

/** What is not the same in a second run. Promise jobs and `process.nextTick` are. */
const unrepeatable =
  /\b(setImmediate|setTimeout|setInterval|nanoid|randomUUID|randomBytes|getRandomValues)\(|\bperformance\.now\b|\bDate\.now\b|\bnew Date\b|\bMath\.random\b|\bprocess\.hrtime\b/;

/** Where it may be: what a client is handed when it is made, and the names of questions, which are only compared. */
const allowed: Record<string, RegExp> = {
  'holdfast/src/surroundings.ts': /setImmediate\(run\)|random: Math\.random/,
  'watchdog/src/clock.ts': /performance\.now|Date\.now|setTimeout\(run, delayMs\)/,
  'watchdog/src/watchdog.ts': /random = Math\.random/,
  'core/src/protocol/question.ts': /randomBytes\(6\)/,
};

function sourcesOf(folder: string): string[] {
  const found = readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' });
  // The client of `holdfast/testing` lives in surroundings of its own, which are made there. The command line and
  // `holdfast/redlock` are programs that use a client, as those of users do.
  const files = found.filter((file) => file.endsWith('.ts') && !/^(?:testing|cli|redlock5)\//.test(file));
  return files.map((file) => `${folder}/${file}`);
}

it('a client reads no clock, sets no timer and draws no random number but those it was handed when it was made', () => {
  const found: string[] = [];
  for (const file of ['core', 'notify', 'watchdog', 'holdfast'].flatMap((name) => sourcesOf(`${name}/src`))) {
    for (const line of readFileSync(join(packages, file), 'utf8').split('\n')) {
      const isComment = /^\s*(\*|\/\*|\/\/)/.test(line);
      if (!isComment && unrepeatable.test(line) && !allowed[file]?.test(line)) found.push(`${file}: ${line.trim()}`);
    }
  }
  expect(found).toEqual([]);
});
