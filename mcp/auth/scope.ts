/**
 * Scopes: what tokens are good for, as words in a text.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy Scope selection}
 * @module
 */

/** All scopes of several texts, each once; undefined when there are none. */
export function joinScopes(...texts: readonly (string | undefined)[]): string | undefined {
  const words = new Set(texts.flatMap(wordsOf));
  return words.size === 0 ? undefined : [...words].join(" ");
}

/** Whether one text has all scopes of another. */
export function hasScopes(text: string | undefined, needed: string | undefined): boolean {
  const words = new Set(wordsOf(text));
  return wordsOf(needed).every((word) => words.has(word));
}

function wordsOf(text = ""): string[] {
  return text.split(" ").filter((word) => word !== "");
}
