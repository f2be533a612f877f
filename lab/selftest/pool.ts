/**
 * Runs a function on many items with limited concurrency.
 *
 * @module
 */

/**
 * Calls a function with each item, with one concurrent call per worker. Returns the results in the
 * order of the items.
 *
 * @param items The items.
 * @param workers One resource per worker, such as a folder. A resource is never used by two calls
 * at the same time.
 * @param work Function to call with each item and a resource.
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
