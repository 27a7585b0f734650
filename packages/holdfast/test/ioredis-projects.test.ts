import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import config from '../../../jest.config.js';

it('this project runs on ioredis 6, and another one runs what depends on ioredis on ioredis 5', () => {
  expect(Redis).not.toBe(Redis5);
  const projects = (config.projects ?? []).filter((project) => typeof project === 'object');
  const ours = projects.filter(({ rootDir }) => String(rootDir).endsWith('packages/holdfast'));
  expect(ours).toMatchObject([
    { displayName: 'holdfast', testMatch: ['<rootDir>/test/**/*.test.ts'] },
    {
      displayName: 'holdfast on ioredis 5',
      testMatch: expect.arrayContaining([expect.stringContaining('/contract/'), expect.stringContaining('/topology/')]),
      moduleNameMapper: { '^ioredis$': expect.stringMatching(/ioredis5$/) },
    },
  ]);
});
