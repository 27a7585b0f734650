import { nodeResolve } from '@rollup/plugin-node-resolve';

// ioredis and the checks are CommonJS, which Rollup leaves alone.
export default {
  external: ['ioredis', '../checks.cjs', /^node:/],
  output: { format: 'esm' },
  plugins: [nodeResolve({ preferBuiltins: true })],
};
