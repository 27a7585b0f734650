/** Ends what latches have been left with when everybody has gone. */
import { createLockClient } from 'holdfast';
import type { Cluster, Redis } from 'ioredis';

/**
 * Counts down what is left of rounds. Each worker opens latches at its own end, and a slower one may begin a round after that; so may a call whose worker was told that
 * Redis is silent, and which is carried out all the same. A round that nobody ends would stay for ever, by design; an open latch has no key, and none is made here.
 */
export async function openLatches(redis: Redis | Cluster, names: readonly string[]): Promise<void> {
  const client = createLockClient({ redis });
  try {
    for (const name of names) {
      const latch = client.getCountDownLatch(name);
      while ((await latch.countDown()) > 0);
    }
  } finally {
    await client.close();
  }
}
