// The simulation as one file, for a mutant is tried in a bundle of its own.
import { join } from 'node:path';
import * as programs from '../bundle.mjs';

/** @param {string} from top folder of the repository, or of a copy @param {string} to @param {import('esbuild').Plugin[]} plugins */
export const bundle = (from, to, plugins = []) =>
  programs.bundle(join(from, 'packages/simulation/src/campaign/main.ts'), to, { plugins });
