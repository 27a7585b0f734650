// npm run interop                        Java's Redisson beside holdfast on real servers, and a table of what was found
// npm run interop -- --redisson 4.5.0    another Redisson than that of interop/pom.xml
//
// Does all its set-up: the workspace, a Redis, the Java program with what it needs from Maven's repositories. Needs a JDK
// (17 or later) and Maven. Exit code 69 when these or the artifacts cannot be had.
import { parseArgs } from 'node:util';
import { buildJava, JavaUnavailable } from './interop/java.mjs';
import { testInterop } from './interop/tests.mjs';
import { prepare } from './prepare.mjs';

try {
  const { values } = parseArgs({ options: { redisson: { type: 'string' } } });
  await prepare();
  const classPath = await buildJava(values);
  process.exitCode = (await testInterop(classPath)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof JavaUnavailable ? 69 : 1;
}
