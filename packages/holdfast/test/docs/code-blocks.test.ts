import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useRedis } from '@holdfast/testkit';
import { allBlocks, blocksIn, WrittenBlocks } from './code-blocks.js';

const run = promisify(execFile);
const packageFolder = new URL('../../', import.meta.url);
const defineRedisUrl = 'data:text/javascript,globalThis.redisUrl=process.env.REDIS_URL';
const limitMs = 30_000;
/** All blocks are compiled at once, which a busy machine takes long for. */
const compileLimitMs = 180_000;

describe('the code in the documents', () => {
  const kit = useRedis();
  const blocks = allBlocks();
  let written: WrittenBlocks;
  let diagnostics: Awaited<ReturnType<WrittenBlocks['diagnostics']>>;

  beforeAll(async () => {
    written = new WrittenBlocks(blocks, kit.server.url);
    [diagnostics] = await Promise.all([written.diagnostics(), written.bundle()]);
  }, compileLimitMs);
  afterAll(() => written.remove());

  it('is there: the README shows some', () => {
    expect(blocks.filter(({ place }) => place.startsWith('README.md:'))).not.toHaveLength(0);
  });

  describe.each(blocks)('$place', (block) => {
    it('compiles, strictly', () => {
      expect(diagnostics.get(block)).toEqual([]);
    });

    if (!block.runs) return;
    it(
      'runs on a real server and ends by itself',
      async () => {
        // Its counter stays until somebody deletes it.
        if (/get(?:PermitExpirable)?Semaphore/.test(block.code))
          kit.cleanup(async () => void (await kit.admin.flushall()));
        await run(process.execPath, ['--import', defineRedisUrl, written.programOf(block)], {
          cwd: packageFolder,
          env: { ...process.env, REDIS_URL: kit.server.url },
          timeout: limitMs - 5_000,
        });
      },
      limitMs,
    );
  });
});

describe('blocks of a document', () => {
  it('are found by their fence, with the line they stand on', () => {
    const markdown = ['text', '```ts', 'a;', '```', '```sh', 'ls', '```', '```ts no-run', 'b;', 'c;', '```'].join('\n');
    expect(blocksIn('x.md', markdown)).toEqual([
      { place: 'x.md:2', line: 2, code: 'a;', runs: true },
      { place: 'x.md:8', line: 8, code: 'b;\nc;', runs: false },
    ]);
  });

  it('are not found inside a longer fence, which shows a fence', () => {
    expect(blocksIn('x.md', '````md\n```ts\na;\n```\n````')).toEqual([]);
  });

  it('with a misspelt fence are refused rather than left out', () => {
    expect(() => blocksIn('x.md', '```ts norun\na;\n```')).toThrow('x.md:1: unknown fence "ts norun"');
    expect(() => blocksIn('x.md', '```ts\na;')).toThrow('x.md:1: the block is never closed');
  });
});
