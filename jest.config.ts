/** @jest-config-loader esbuild-register */
import type { Config } from 'jest';

const project = (name: string, variant: { label?: string; ioredis?: string; testMatch?: string[] } = {}) => ({
  displayName: variant.label ?? name,
  rootDir: `<rootDir>/packages/${name}`,
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['@holdfast/source', 'node', 'node-addons'] },
  testMatch: variant.testMatch ?? ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    ...(variant.ioredis === undefined ? {} : { '^ioredis$': variant.ioredis }),
  },
  transform: {
    '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: '<rootDir>/../../tsconfig.test.json', diagnostics: false }],
  },
});

const config: Config = {
  projects: [
    project('core'),
    project('notify'),
    project('watchdog'),
    project('testkit'),
    project('holdfast'),
    project('holdfast', {
      label: 'holdfast on ioredis 5',
      ioredis: 'ioredis5',
      testMatch: ['<rootDir>/test/contract/**/*.test.ts'],
    }),
  ] as NonNullable<Config['projects']>,
};
export default config;
