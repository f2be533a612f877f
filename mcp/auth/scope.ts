/**
 * Operations on OAuth scope strings (RFC 6749, section 3.3).
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy Scope selection}
 * @module
 */

/** Returns the union of scope strings, or `undefined` if the union is empty. */
export function joinScopes(...texts: readonly (string | undefined)[]): string | undefined {
  const words = new Set(texts.flatMap(wordsOf));
  return words.size === 0 ? undefined : [...words].join(" ");
}

/** Returns `true` if a scope string contains all scopes in another scope string. */
export function hasScopes(text: string | undefined, needed: string | undefined): boolean {
  const words = new Set(wordsOf(text));
  return wordsOf(needed).every((word) => words.has(word));
}

function wordsOf(text = ""): string[] {
  return text.split(" ").filter((word) => word !== "");
}
