/**
 * Markdown for the messages of failing cases: values and names become inline code, and words stay prose.
 *
 * @module
 */

/** Formats text as inline code. */
export function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

/** Escapes the characters that Markdown interprets. */
export function escape(text: string): string {
  return text.replace(/[|<>`*_]/g, (character) => `\\${character}`);
}

/** Formats words in which names are quoted: `the capability "tools" is declared`. */
export function markNames(text: string): string {
  return text.split(/"([^"]*)"/)
    .map((part, index) => index % 2 === 1 ? code(part) : escape(part))
    .join("");
}

/**
 * Formats an expected or actual value. The value consists of words, a value in JSON or a regular
 * expression, or both, and can end with a path (` at $.id`) or the enclosing
 * value (` in {"id":7}`).
 */
export function markValues(text: string): string {
  const [, located, path] = /^(.*) at (\$\S*)$/.exec(text) ?? [];
  if (located !== undefined && path !== undefined) return `${markValue(located)} at ${code(path)}`;
  const [, inner, outer] = /^(.*?(?:[\w"}\]])) in ([{[].*)$/.exec(text) ?? [];
  if (inner !== undefined && outer !== undefined) return `${markValue(inner)} in ${code(outer)}`;
  return markValue(text);
}

function markValue(text: string): string {
  if (/^(?:[^a-z]|(?:true|false|null)$)/.test(text)) return code(text);
  if (!/[[{/]|: [A-Z]/.test(text)) return markNames(text);
  const [, words = "", value = text] = /^([^[{"/A-Z]*)(.*)$/.exec(text) ?? [];
  return `${escape(words)}${code(value)}`;
}
