import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts' },
  // The application has them: its client has to be ours, and its decorators those of its Nest.
  external: ['holdfast', '@nestjs/common'],
  splitting: false,
  format: ['esm', 'cjs'],
  dts: { compilerOptions: { composite: false, incremental: false, ignoreDeprecations: '6.0' } },
  clean: true,
  target: 'node20',
  removeNodeProtocol: false,
});
