import { defineConfig } from 'tsup';
import { declarations } from '../../scripts/ship/declarations.mjs';

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  dts: declarations({ index: 'index' }),
  target: 'node20',
  removeNodeProtocol: false,
});
