import { defineConfig } from 'tsup';
import { declarations } from '../../scripts/ship/declarations.mjs';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    testing: 'src/testing/index.ts',
    redlock: 'src/redlock5/index.ts',
    cli: 'src/cli/main.ts',
  },
  // A client of holdfast/testing is an instance of the class that the application imports: that file is asked for, not copied. So do
  // the API of redlock, and the command line, of which only the ESM form is published.
  external: ['holdfast'],
  splitting: false,
  format: ['esm', 'cjs'],
  dts: declarations({ index: 'index', testing: 'testing/index', redlock: 'redlock5/index' }),
  // One package is published: what is no peer comes along (docs/adr/0016-one-package.md).
  noExternal: [/^@holdfast\//, 'async-mutex', 'nanoid'],
  metafile: true,
  target: 'node20',
  removeNodeProtocol: false,
});
