import { expect, it } from '@jest/globals';
import config from '../../../jest.config.js';
import { whichIoredis } from './support/which-ioredis.js';

it('this project runs on ioredis 6, and two others run what depends on ioredis on the lowest and the newest ioredis 5', () => {
  expect(whichIoredis).toBe('ioredis');
  const projects = (config.projects ?? []).filter((project) => typeof project === 'object');
  const ours = projects.filter(({ rootDir }) => String(rootDir).endsWith('packages/holdfast'));
  expect(ours).toMatchObject([
    { displayName: 'holdfast', testMatch: ['<rootDir>/test/**/*.test.ts'] },
    ...[
      { displayName: 'holdfast on ioredis 5.4', installed: /ioredis5$/ },
      { displayName: 'holdfast on ioredis 5.11', installed: /ioredis5-newest$/ },
    ].map(({ displayName, installed }) => ({
      displayName,
      testMatch: expect.arrayContaining([expect.stringContaining('/contract/'), expect.stringContaining('/topology/')]),
      moduleNameMapper: { '^ioredis$': expect.stringMatching(installed) },
    })),
  ]);
});
