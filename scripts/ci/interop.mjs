// Java beside Node, where there are a JDK, Maven, and what Maven has to get.
import { buildJava, JavaUnavailable } from '../interop/java.mjs';
import { testInterop } from '../interop/tests.mjs';

/** @param {import('./step.mjs').Tally} tally */
export async function checkInterop(tally) {
  const name = 'Java and Node on one lock (npm run interop)';
  let classPath;
  try {
    classPath = await buildJava();
  } catch (error) {
    if (error instanceof JavaUnavailable) tally.skip(name, error.message);
    else tally.fail(`${name}: ${error.message}`);
    return;
  }
  await tally.check(name, async () => {
    if (!(await testInterop(classPath))) throw new Error('tests failed, see above');
  });
}
