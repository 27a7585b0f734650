// Prints the digests of the runs of these seeds, on servers that execute `rules` or `lua`.
import { inMacrotask, runScenario, scenarioOf, type Scripts } from '../src/index.js';
import { short } from './short.js';

const [scripts, ...seeds] = process.argv.slice(2) as [Scripts, ...string[]];
const digests: string[] = [];
for (const seed of seeds) {
  const { digest } = await inMacrotask(() => runScenario(short(scenarioOf(Number(seed), { scripts }))));
  digests.push(digest);
}
process.stdout.write(digests.join(' '));
