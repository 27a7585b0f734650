import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Program, ProgramUnavailable } from './program.js';

/** What `npm run interop` builds its program with: ours is in the same archive. */
interface JavaBuild {
  readonly buildJava: () => Promise<string>;
  readonly JavaUnavailable: new (message: string) => Error;
}

const script = new URL('../../../../scripts/interop/java.mjs', import.meta.url);
const pom = new URL('../../../../interop/pom.xml', import.meta.url);

/** The version of Redisson that a pom.xml names. */
export const redissonOf = (text: string): string =>
  /<redisson\.version>(.+)<\/redisson\.version>/.exec(text)?.[1] ?? 'unknown';

/** The version in the first line of `java --version`, as in `openjdk 17.0.15 2025-04-15`. */
export const javaOf = (text: string): string => /^\S+ ([\d.]+)/.exec(text)?.[1] ?? 'unknown';

/** @throws ProgramUnavailable without a JDK, Maven, or what Maven has to get. */
export async function javaProgram(): Promise<Program> {
  const { buildJava, JavaUnavailable } = (await import(script.href)) as JavaBuild;
  try {
    const classPath = await buildJava();
    const java = javaOf(execFileSync('java', ['--version'], { encoding: 'utf8' }));
    return {
      command: 'java',
      // Eight of them share the machine: collectors with threads of their own would only compete.
      args: ['-XX:+UseSerialGC', '-Xmx512m', '-cp', classPath, 'holdfast.bench.Main'],
      versions: { 'org.redisson:redisson': `${redissonOf(readFileSync(pom, 'utf8'))}, Java ${java}` },
    };
  } catch (error) {
    if (error instanceof JavaUnavailable) throw new ProgramUnavailable(error.message);
    throw error;
  }
}
