// What the package adds to a bundle of a user: minified, compressed, ioredis left out.
import { mkdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { command } from './step.mjs';

/**
 * What is imported, and the most that it may be, in bytes. The goal for the re-entrant lock alone was 26 000, when there was no other; with every
 * property renamed to one letter and without any text it would still have been 30 000. A client carries every primitive that it has a method for.
 * Lower a budget when there is less; raise it with a reason in the commit.
 */
const budgets = [
  { what: 'createLockClient', code: "export { createLockClient } from './package/dist/index.js';", most: 97_720 },
  { what: 'everything', code: "export * from './package/dist/index.js';", most: 106_100 },
];

/** @throws Error when a bundle with the package in it is larger than its budget. */
export async function checkSize(tarball, temporary) {
  // Not before it is installed: .ci/run starts in a clone that has nothing.
  const { build } = await import('esbuild');
  const folder = `${temporary}/size`;
  mkdirSync(folder, { recursive: true });
  await command('tar', ['-xzf', tarball, '-C', folder]);
  for (const { what, code, most } of budgets) {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: folder },
      ...{ bundle: true, minify: true, platform: 'node', format: 'esm', target: 'node20', external: ['ioredis'] },
      write: false,
    });
    const bundle = outputFiles[0].contents;
    const { length } = gzipSync(bundle, { level: 9 });
    process.stdout.write(`${what}: ${bundle.length} bytes minified, ${length} compressed, of ${most}\n`);
    if (outputFiles[0].text.includes('npx holdfast') || outputFiles[0].text.includes('holdfast doctor'))
      throw new Error(`a bundle of ${what} has the command line in it`);
    if (length > most) throw new Error(`a bundle of ${what} is ${length} bytes, more than ${most}`);
  }
}
