// npm run docs -- [--check]      the documentation as a site: builds it, looks for broken links and undocumented exports, and serves it
//
// The pages are those of the repository, whose code blocks are tested; the API is made from the TSDoc of the code. With --check it ends when all is
// well, or with 1; a step of .ci/run.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { brokenLinks } from './docs/links.mjs';
import { writeLlms } from './docs/llms.mjs';
import { stage } from './docs/stage.mjs';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

/** Then the pages are made without the program that runs in a browser, and without more that has no links of its own: it takes longer than the rest. */
const isCheck = process.argv.includes('--check');
const env = isCheck ? { ...process.env, HOLDFAST_SITE_CHECK: '1' } : process.env;
const site = join(root, 'packages/site');
const pages = join(site, '.pages');
const dist = join(site, '.vitepress/dist');
const tool = async (name, ...args) => {
  const code = await run(process.execPath, [join(site, 'node_modules', ...name), ...args], { cwd: site, env });
  if (code !== 0) process.exit(code);
};
const vitepress = ['vitepress', 'bin', 'vitepress.js'];

await prepare();
rmSync(pages, { recursive: true, force: true });
const staged = stage(pages);
await tool(['typedoc', 'bin', 'typedoc'], '--logLevel', 'Warn');
await tool(vitepress, 'build', ...(isCheck ? ['--mpa'] : []));
writeLlms(staged, pages, dist);
const broken = brokenLinks(dist);
for (const line of broken) process.stderr.write(`broken: ${line}\n`);
if (broken.length > 0) process.exit(1);
process.stdout.write(`${staged.length} pages and the API: no link is broken\n`);
if (!isCheck) await tool(vitepress, 'preview');
