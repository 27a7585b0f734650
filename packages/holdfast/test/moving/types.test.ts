/** Each row of the tables in docs/moving, as TypeScript: what is to be written must compile, strictly. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CodeBlock, WrittenBlocks } from '../docs/code-blocks.js';
import { guideOf } from './guide.js';

/** What the code of a guide finds there, on one line. */
const names = [
  "import type { LockClient } from 'holdfast';",
  'declare const client: LockClient;',
  'declare const name: string, a: string, b: string, taken: string;',
  'declare function work(...given: unknown[]): Promise<string>;',
].join(' ');

const rows = ['from-redlock', 'from-redis-semaphore', 'from-node-redisson', 'from-redisson', 'from-set-nx'].flatMap(
  (document) =>
    guideOf(document)
      .flat()
      .map(({ what, after }): CodeBlock => {
        return { place: `${document}.md: to ${what}`, line: 0, code: `${names}\n${after}`, runs: false };
      }),
);

describe('what the guides in docs/moving tell to write', () => {
  let written: WrittenBlocks;
  let diagnostics: Awaited<ReturnType<WrittenBlocks['diagnostics']>>;

  beforeAll(async () => {
    written = new WrittenBlocks(rows, 'redis://localhost:6379');
    diagnostics = await written.diagnostics();
  }, 180_000);
  afterAll(() => written.remove());

  it.each(rows.map((row) => [row.place, row] as const))('compiles: %s', (_, row) => {
    expect(diagnostics.get(row)).toEqual([]);
  });
});
