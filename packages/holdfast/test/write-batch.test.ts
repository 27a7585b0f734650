import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { WriteBatch } from '../src/connection/write-batch.js';

/** A stream that remembers how many writes came to it at once. */
function recorder() {
  const sizes: number[] = [];
  const stream = new Writable({
    write(_chunk, _encoding, done) {
      sizes.push(1);
      done();
    },
    writev(chunks, done) {
      sizes.push(chunks.length);
      done();
    },
  });
  return { sizes, stream: stream as unknown as Redis['stream'] };
}

const turnIsOver = () => new Promise((resolve) => setImmediate(resolve));

it('commands of one turn leave together, and in full packets when they are many', async () => {
  const packet = new WriteBatch();
  const { sizes, stream } = recorder();
  const send = (count: number) => {
    for (let command = 0; command < count; command++) {
      packet.gather(stream);
      stream.write('x');
    }
  };
  send(40);
  await turnIsOver();
  expect(sizes).toEqual([16, 16, 8]);
  send(3);
  expect(sizes).toHaveLength(3);
  await turnIsOver();
  expect(sizes).toEqual([16, 16, 8, 3]);
});
