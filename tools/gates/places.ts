/**
 * Places in files, which the gates name in their errors as `path:line`.
 *
 * @module
 */

/** Formats a place. Omits the line if it is unknown. */
export function formatPlace(path: string, line: number | undefined): string {
  return line === undefined ? path : `${path}:${line}`;
}

/** Returns a function that converts an offset in the source to a line number, starting at 1. */
export function lineCounter(source: string): (offset: number) => number {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/**
 * Returns the line of a string in a JSON text: the line of the last of the strings, each searched
 * after the previous one. Returns `undefined` if a string does not occur.
 *
 * The order of the strings is that of the text: `["comm", "doors", "zod"]` finds the member `zod`
 * of `doors` of `comm`.
 */
export function findJsonLine(text: string, strings: readonly string[]): number | undefined {
  let at = 0;
  for (const string of strings) {
    const quoted = JSON.stringify(string);
    const found = text.indexOf(quoted, at);
    if (found < 0) return undefined;
    at = found + quoted.length;
  }
  return lineCounter(text)(at);
}
