/** As Promise.all, but ends when all have ended. */
export async function settledAll(calls: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(calls);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
