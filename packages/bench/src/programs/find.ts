import { goProgram } from './go.js';
import { javaProgram } from './java.js';
import { type Language, type Program, type Programs, ProgramUnavailable } from './program.js';

type Makers = Readonly<Record<Language, () => Promise<Program>>>;

const here: Makers = { java: javaProgram, go: goProgram };

/** The programs of these languages, as far as they can be made here; `onMissing` is told why another cannot. */
export async function findPrograms(
  wanted: readonly Language[],
  onMissing: (language: Language, why: string) => void,
  makers: Makers = here,
): Promise<Programs> {
  const found: Partial<Record<Language, Program>> = {};
  for (const language of wanted) {
    try {
      found[language] = await makers[language]();
    } catch (error) {
      if (!(error instanceof ProgramUnavailable)) throw error;
      onMissing(language, error.message);
    }
  }
  return found;
}
