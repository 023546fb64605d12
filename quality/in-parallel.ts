/** Works on at most so many items at a time. @returns the results in the order of the items */
export async function inParallel<T, R>(most: number, items: readonly T[], work: (item: T, worker: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const begin = async (worker: number): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item, worker);
  };
  await Promise.all(Array.from({ length: most }, (_none, worker) => begin(worker)));
  return results;
}
