/** @jest-config-loader esbuild-register */
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

/** `npm run versions` says which RESP each of its rows speaks; ioredis 6 has to be told. */
const { HOLDFAST_RESP } = process.env;
const speaksResp2 = HOLDFAST_RESP === '2';

/** The tests of what differs with ioredis: how connections are made, and how they break. `npm run versions` has the whole contract on each. */
const onConnections =
  HOLDFAST_RESP === undefined
    ? [
        'contract/{broken,dead}-connections',
        'contract/{client-input,ioredis,lost-replies,subscriber,throwing-send,versions}',
        'topology/{cluster,cluster-failover,sentinel,sentinel-failover}',
        'sentinel-watch',
      ]
    : ['contract/**/*', 'topology/**/*'];

/** What `npm run packed` has made: the tests of holdfast with the packed package in place of its sources, in these forms. */
const packed = process.env['HOLDFAST_PACKED']?.split(',') ?? [];

const project = (
  name: string,
  variant: { label?: string; folder?: string; ioredis?: string; testMatch?: string[] } = {},
) => ({
  displayName: variant.label ?? name,
  rootDir: `<rootDir>/${variant.folder ?? `packages/${name}`}`,
  testEnvironment: '<rootDir>/../../scripts/jest/environment.mjs',
  testEnvironmentOptions: { customExportConditions: ['@holdfast/source', 'node', 'node-addons'] },
  testMatch: variant.testMatch ?? ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    ...(variant.ioredis === undefined ? {} : { '^ioredis$': variant.ioredis }),
  },
  setupFiles: speaksResp2 && variant.ioredis === undefined ? ['<rootDir>/../../scripts/versions/resp2.cjs'] : [],
  transform: { '^.+\\.ts$': '<rootDir>/../../scripts/jest/transform.mjs' },
});

const onIoredis5 = (label: string, installed: string) =>
  project('holdfast', {
    label,
    ioredis: `<rootDir>/node_modules/${installed}`,
    testMatch: onConnections.map((files) => `<rootDir>/test/${files}.test.ts`),
  });

const config: Config = {
  // The tests wait for servers more than they compute: four more at once than there are cores, on a small machine.
  maxWorkers: Math.max(6, Math.floor(availableParallelism() / 2)),
  // A limit for a test that hangs, not for a machine that is slow: Jest's own 5 s were reached by sound tests in CI.
  testTimeout: 30_000,
  globalSetup: '<rootDir>/scripts/jest/compile-first.mjs',
  testSequencer: '<rootDir>/scripts/jest/longest-first.mjs',
  projects: [
    project('core'),
    project('notify'),
    project('watchdog'),
    project('memory'),
    project('simulation'),
    project('testkit'),
    project('bench'),
    project('safety'),
    project('holdfast'),
    project('opentelemetry'),
    project('nestjs'),
    // The lowest that is supported, and the newest: connections are not made and lost in the same way.
    onIoredis5('holdfast on ioredis 5.4', 'ioredis5'),
    onIoredis5('holdfast on ioredis 5.11', 'ioredis5-newest'),
    // Takes minutes, or dozens of processes, for a single look: npm run long.
    ...(process.env['HOLDFAST_LONG'] === undefined
      ? []
      : [project('holdfast', { label: 'long', testMatch: ['<rootDir>/test/**/*.long.ts'] })]),
    // Needs a JVM and Redisson: npm run interop.
    ...(process.env['HOLDFAST_INTEROP_CLASSPATH'] === undefined
      ? []
      : [project('holdfast', { label: 'interop', testMatch: ['<rootDir>/test/interop/**/*.interop.ts'] })]),
    ...packed.map((form) => project('holdfast', { label: `packed ${form}`, folder: `.tmp/packed-${form}` })),
  ] as NonNullable<Config['projects']>,
};
export default config;
