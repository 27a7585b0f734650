// Prints the digests of the runs of these seeds.
import { inMacrotask, runScenario, scenarioOf } from '../src/index.js';

const digests: string[] = [];
for (const seed of process.argv.slice(2)) {
  const { digest } = await inMacrotask(() => runScenario(scenarioOf(Number(seed))));
  digests.push(digest);
}
process.stdout.write(digests.join(' '));
