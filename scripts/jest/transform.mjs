// ts-jest, with what it makes kept for all projects.
//
// Jest keeps what a transformer makes for each project apart, and most of our projects load the sources of holdfast: on a new machine they would be
// compiled ten times over.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const inRoot = (file) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

const options = { useESM: true, tsconfig: inRoot('tsconfig.test.json'), diagnostics: false };

/** What the output depends on besides the file itself. */
const basis = [
  require('ts-jest/package.json').version,
  require('typescript/package.json').version,
  readFileSync(options.tsconfig, 'utf8'),
  readFileSync(inRoot('tsconfig.base.json'), 'utf8'),
  readFileSync(fileURLToPath(import.meta.url), 'utf8'),
];

const getCacheKey = (text, path, { supportsStaticESM, instrument }) =>
  createHash('sha256')
    .update(JSON.stringify([basis, path, supportsStaticESM, instrument, text]))
    .digest('hex');

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Other processes read it beside this one: they see all of it, or nothing. */
function write(file, code) {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, code);
  renameSync(draft, file);
}

export default {
  createTransformer() {
    // Loading it takes a second: only where there is something to compile.
    let compiler;
    return {
      getCacheKey,
      process(text, path, request) {
        const folder = join(request.config.cacheDirectory, 'holdfast-compiled');
        const file = join(folder, getCacheKey(text, path, request));
        // Not with --no-cache.
        const kept = request.config.cache ? read(file) : undefined;
        if (kept !== undefined) return { code: kept };
        compiler ??= require('ts-jest').default.createTransformer(options);
        const { code } = compiler.process(text, path, { ...request, transformerConfig: options });
        mkdirSync(folder, { recursive: true });
        write(file, code);
        return { code };
      },
    };
  },
};
