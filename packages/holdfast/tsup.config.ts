import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  dts: { compilerOptions: { composite: false, incremental: false, ignoreDeprecations: '6.0' } },
  // One package is published: what is no peer comes along (docs/adr/0016-one-package.md).
  noExternal: [/^@holdfast\//, 'async-mutex', 'nanoid'],
  metafile: true,
  clean: true,
  target: 'node20',
  removeNodeProtocol: false,
});
