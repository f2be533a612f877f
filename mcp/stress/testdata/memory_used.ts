/**
 * Returns the memory usage after a garbage collection, including buffers, in bytes. Requires
 * `--v8-flags=--expose-gc`.
 */
export async function memoryUsed(): Promise<number> {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") {
    throw new Error("Cannot collect garbage: run with --v8-flags=--expose-gc");
  }
  for (let turns = 0; turns < 4; turns++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve));
  }
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
