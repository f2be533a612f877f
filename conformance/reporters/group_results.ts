/**
 * Groups of results.
 *
 * @module
 */

/** Groups results by a key. Groups and results keep their order. */
export function groupResults<Result>(
  results: readonly Result[],
  keyOf: (result: Result) => string,
): ReadonlyMap<string, readonly Result[]> {
  const groups = new Map<string, Result[]>();
  for (const result of results) {
    const key = keyOf(result);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [result]);
    else group.push(result);
  }
  return groups;
}

/** Returns the area of a case: its id without the last part. */
export function areaOf(id: string): string {
  return id.split("/").slice(0, -1).join("/");
}
