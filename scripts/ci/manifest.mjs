// What a published package may ask of those who install it: nothing is run, and nothing comes along that was not decided upon
// (docs/adr/0001-dependencies.md). The manifest is the one inside the tarball, as pnpm has rewritten it.

/** Everything else that runs beside ioredis is bundled into it. */
const allowed = {
  holdfast: { dependencies: [], peerDependencies: ['ioredis'] },
  '@holdfast/nestjs': { dependencies: [], peerDependencies: ['@nestjs/common', '@nestjs/core', 'holdfast'] },
  '@holdfast/opentelemetry': { dependencies: [], peerDependencies: ['@opentelemetry/api', 'holdfast'] },
};

/** The programs of a package: found in node_modules/.bin where it is installed, run when somebody calls them. */
const programs = { holdfast: { holdfast: './dist/cli.js' } };

/** Run by npm, pnpm or yarn where a package is installed, from the registry or from git. */
const hooks = ['preinstall', 'install', 'postinstall', 'preprepare', 'prepare', 'postprepare', 'prepack', 'postpack'];
/** Each of them would bring files, programs or packages past the lists of this file. */
const unwanted = ['gypfile', 'optionalDependencies', 'bundledDependencies', 'bundleDependencies'];

const number = String.raw`\d[\w.+-]*`;
/** Versions of the registry, and no address: `^11.0.0 || ^12.0.0`, or `>=0.2.0 <1.0.0`. */
const versions = new RegExp(String.raw`^([\^~]?${number}( \|\| [\^~]?${number})*|>=${number} <${number})$`);

/** @throws Error when installing the package would run or bring what it must not. */
export function checkManifest({ name, scripts = {}, ...manifest }) {
  const wanted = allowed[name];
  if (wanted === undefined) throw new Error(`${name} is not a package of ours`);
  const run = hooks.filter((hook) => hook in scripts);
  if (run.length > 0) throw new Error(`${name} has install scripts: ${run.join(', ')}`);
  const { bin = {} } = manifest;
  if (JSON.stringify(bin) !== JSON.stringify(programs[name] ?? {}))
    throw new Error(`${name} has the programs ${JSON.stringify(bin)}`);
  const brought = unwanted.filter((field) => field in manifest);
  if (brought.length > 0) throw new Error(`${name} has ${brought.join(', ')}`);
  for (const [kind, names] of Object.entries(wanted)) {
    const found = Object.entries(manifest[kind] ?? {});
    const listed = found.map(([dependency]) => dependency).sort();
    if (listed.join() !== names.join())
      throw new Error(`${name}: ${kind} are ${listed.join(', ') || 'none'}, not ${names.join(', ') || 'none'}`);
    const elsewhere = found.filter(([, version]) => !versions.test(version));
    if (elsewhere.length > 0)
      throw new Error(`${name} takes ${elsewhere.map((pair) => pair.join(' from ')).join(', ')}`);
  }
}

/** @throws Error when a file of the tarball is a program, other than those that the manifest names. `listing`: of `tar -tv`. */
export function checkModes(tarball, listing) {
  const executable = listing.split('\n').filter((line) => /^-.{0,8}[xs]/.test(line));
  const strange = executable.filter((line) => !line.endsWith(' package/dist/cli.js'));
  if (strange.length > 0) throw new Error(`${tarball} brings programs: ${strange.join('; ')}`);
}
