/**
 * Work on many items, a few at a time.
 *
 * @module
 */

/**
 * Calls a function on every item, with at most so many calls under way; results keep the order of the items.
 *
 * @param items what to work on
 * @param workers one resource per worker, such as a folder; each is used by one call at a time
 * @param work the function
 */
export async function runPool<Item, Worker, Result>(
  items: readonly Item[],
  workers: readonly Worker[],
  work: (item: Item, worker: Worker) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  await Promise.all(workers.map(async (worker) => {
    for (const [index, item] of queue) results[index] = await work(item, worker);
  }));
  return results;
}
