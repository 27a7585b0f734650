import { defineConfig } from 'tsup';
import { declarations } from '../../scripts/ship/declarations.mjs';

export default defineConfig({
  entry: { index: 'src/index.ts' },
  // The application has them: its client has to be ours, and its decorators those of its Nest.
  external: ['holdfast', '@nestjs/common', '@nestjs/core'],
  splitting: false,
  format: ['esm', 'cjs'],
  dts: declarations({ index: 'index' }),
  target: 'node20',
  removeNodeProtocol: false,
});
