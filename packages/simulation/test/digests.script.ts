// Prints the digests of the runs of these seeds.
import { inMacrotask, runScenario, scenarioOf } from '../src/index.js';
import { short } from './short.js';

const digests: string[] = [];
for (const seed of process.argv.slice(2)) {
  const { digest } = await inMacrotask(() => runScenario(short(scenarioOf(Number(seed)))));
  digests.push(digest);
}
process.stdout.write(digests.join(' '));
