// Before the tests, on a new machine: what nearly every test file loads is compiled once. The workers begin at the same time and load the same files in the
// same order, so that each of them would compile all of it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import transform from './transform.mjs';

const packages = ['core', 'holdfast', 'memory', 'notify', 'testkit', 'watchdog'];

export default function compileFirst({ rootDir }, config) {
  if (!config.cache) return; // nothing of it would be kept
  const transformer = transform.createTransformer();
  for (const name of packages) {
    const folder = join(rootDir, 'packages', name, 'src');
    const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.ts'));
    for (const file of files.map((path) => join(folder, path))) {
      transformer.process(readFileSync(file, 'utf8'), file, {
        config,
        supportsStaticESM: true,
        instrument: false,
        cacheFS: new Map(),
      });
    }
  }
}
