import type { CommonParts } from '../client-parts.js';

/** What `work` comes to, or undefined when it fails or has not come to anything within `limitMs`. Never rejects. */
export async function inTime<T>(
  { waits, clock }: Pick<CommonParts, 'waits' | 'clock'>,
  limitMs: number,
  work: Promise<T> | undefined,
): Promise<T | undefined> {
  if (work === undefined) return undefined;
  let limit: { cancel(): void } | undefined;
  const over = new Promise<undefined>((resolve) => {
    limit = waits.at(clock.now() + limitMs, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, over]);
  } catch {
    return undefined;
  } finally {
    limit?.cancel();
  }
}
