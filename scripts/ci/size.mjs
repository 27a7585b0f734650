// What the package adds to a bundle of a user: minified, compressed, ioredis left out.
import { mkdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { command } from './step.mjs';

/**
 * The most it may be, in bytes; the goal is 26 000, which the code as it is cannot reach: with every property renamed to one letter and without
 * any text (scripts, messages) it would still be 30 000. Lower it when it has become less; raise it with a reason in the commit.
 */
const budget = 46_500;

/** @throws Error when a bundle with the package in it is larger than the budget. */
export async function checkSize(tarball, temporary) {
  // Not before it is installed: .ci/run starts in a clone that has nothing.
  const { build } = await import('esbuild');
  const folder = `${temporary}/size`;
  mkdirSync(folder, { recursive: true });
  await command('tar', ['-xzf', tarball, '-C', folder]);
  const { outputFiles } = await build({
    stdin: { contents: "export * from './package/dist/index.js';", resolveDir: folder },
    ...{ bundle: true, minify: true, platform: 'node', format: 'esm', target: 'node20', external: ['ioredis'] },
    write: false,
  });
  const code = outputFiles[0].contents;
  const { length } = gzipSync(code, { level: 9 });
  process.stdout.write(`${code.length} bytes minified, ${length} compressed, of ${budget}\n`);
  if (length > budget) throw new Error(`a bundle with holdfast in it is ${length} bytes, more than ${budget}`);
}
