import type { Hold } from 'holdfast';

/** Settles as `step`, or resolves when the hold is lost before: then the answer to that step changes nothing, and may not come for long. */
export async function untilLost(hold: Hold, step: Promise<void>): Promise<void> {
  const { signal } = hold;
  let end: () => void = () => undefined;
  const lost = new Promise<void>((resolve) => (end = resolve));
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    await Promise.race([step, lost]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
