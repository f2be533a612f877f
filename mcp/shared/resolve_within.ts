/**
 * Waits for a promise, with a time limit.
 *
 * @module
 */

/** Waits for a promise for at most `ms` milliseconds. Resolves with `undefined` if the time limit is exceeded. */
export async function resolveWithin<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
