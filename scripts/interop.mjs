// npm run interop                        Java's Redisson beside holdfast on real servers, and a table of what was found: the Redisson of
//                                        interop/pom.xml, then an older one
// npm run interop -- --redisson 4.5.0    this Redisson alone
//
// Does all its set-up: the workspace, a Redis, the Java program with what it needs from Maven's repositories. Needs a JDK
// (17 or later) and Maven. Exit code 69 when these or the artifacts cannot be had. `.ci/run` does a shorter form.
import { parseArgs } from 'node:util';
import { buildJava, JavaUnavailable } from './interop/java.mjs';
import { testInterop } from './interop/tests.mjs';
import { prepare } from './prepare.mjs';

/** One of the third generation; docs/redisson.md says what is known of those before it. The program compiles with 3.29.0 and later. */
const OLDER = '3.52.0';

try {
  const { values } = parseArgs({ options: { redisson: { type: 'string' } } });
  await prepare();
  const failed = [];
  for (const redisson of values.redisson === undefined ? [undefined, OLDER] : [values.redisson]) {
    const which = `Redisson ${redisson ?? 'of interop/pom.xml'}`;
    process.stdout.write(`\n${which}\n`);
    const classPath = await buildJava({ redisson });
    if (!(await testInterop(classPath, { isLong: true }))) failed.push(which);
  }
  if (failed.length > 0) process.stderr.write(`tests failed with ${failed.join(', ')}\n`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof JavaUnavailable ? 69 : 1;
}
