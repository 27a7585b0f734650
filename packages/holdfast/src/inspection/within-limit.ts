import type { Timer } from '@holdfast/watchdog';
import type { CommonParts } from '../client-parts.js';

/**
 * What `work` comes to, or undefined when it fails or has not come to anything within `limitMs`. Never rejects. The timer is none of the client's waits:
 * those end with it, unanswered.
 */
export async function withinLimit<T>(
  { clock }: Pick<CommonParts, 'clock'>,
  limitMs: number,
  work: Promise<T> | undefined,
): Promise<T | undefined> {
  if (work === undefined) return undefined;
  let limit!: Timer;
  const over = new Promise<undefined>((resolve) => {
    limit = clock.setTimer(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([work, over]);
  } catch {
    return undefined;
  } finally {
    clock.clearTimer(limit);
  }
}
