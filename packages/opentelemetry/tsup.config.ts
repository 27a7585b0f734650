import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  dts: { compilerOptions: { composite: false, incremental: false, ignoreDeprecations: '6.0' } },
  clean: true,
  target: 'node20',
  removeNodeProtocol: false,
});
