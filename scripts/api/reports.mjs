// The public API of entry points as text: what their built declarations export, signature by signature, without the documentation.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { root } from '../run.mjs';

/** @typedef {{ folder: string, declarations: string, imported: string, name: string }} Entry `folder` of its package, `declarations` as a path in it */

const silent = { default: { logLevel: ExtractorLogLevel.None } };
const compilerOptions = {
  ...{ target: 'es2023', lib: ['es2023'], module: 'nodenext', moduleResolution: 'nodenext' },
  ...{ strict: true, skipLibCheck: true, types: ['node'] },
  // As it is installed beside another package: found by its own name alone, it would be taken for a part of what is reported.
  paths: { holdfast: [join(root, 'packages/nestjs/node_modules/holdfast/dist/index.d.ts')] },
};

const fileOf = ({ imported, name }, destination) => join(destination, imported, `${name}.api.md`);

/** @param {Entry} entry @param {string} destination */
function configOf({ folder, declarations, imported, name }, destination) {
  const reportFolder = dirname(fileOf({ imported, name }, destination));
  mkdirSync(reportFolder, { recursive: true });
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, 'package.json'),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, declarations),
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { compilerOptions, files: [declarations] } },
      apiReport: {
        ...{ enabled: true, includeForgottenExports: true },
        ...{ reportFileName: name, reportFolder, reportTempFolder: join(reportFolder, 'temporary') },
      },
      messages: { extractorMessageReporting: silent, tsdocMessageReporting: silent },
    },
  });
}

/**
 * @param {Entry[]} entries
 * @param {string} destination a folder
 * @returns {{ entry: Entry, made: string, text: string }[]} for each entry the file that was made for it, and what is in it
 * @throws Error when declarations do not compile
 */
export function makeReports(entries, destination) {
  const [first, ...others] = entries.map((entry) => configOf(entry, destination));
  const additionalEntryPoints = others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath);
  const compilerState = CompilerState.create(first, { additionalEntryPoints });
  return [first, ...others].map((config, index) => {
    const problems = [];
    const messageCallback = (message) => {
      if (message.category === 'Compiler') problems.push(message.text);
      message.handled = true;
    };
    Extractor.invoke(config, { compilerState, localBuild: true, messageCallback });
    const made = fileOf(entries[index], destination);
    if (problems.length > 0)
      throw new Error(`${config.mainEntryPointFilePath} does not compile: ${problems.join('; ')}`);
    return { entry: entries[index], made, text: readFileSync(made, 'utf8') };
  });
}
