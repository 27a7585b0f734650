import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;

/** Does what the argument of this process says, prints what comes of it, and ends the process, whatever is open. */
export async function answer(work: (order: unknown) => Promise<unknown>): Promise<void> {
  const report = await work(JSON.parse(process.argv[2] ?? ''));
  writeSync(STANDARD_OUTPUT, JSON.stringify(report));
  process.exit();
}
