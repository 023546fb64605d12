/** Runs `work` for every item, at most `limit` in parallel, in order. Rejects with the first error after all have ended. */
export async function forEachAtMost<T>(limit: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      try {
        await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
