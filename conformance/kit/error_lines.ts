/**
 * Excerpts from the standard error of a subject.
 *
 * @module
 */

/** Number of lines that an excerpt keeps at each end. */
const ENDS = 6;
/** Maximum number of lines between the ends that an excerpt keeps because they name an error. */
const MAX_ERRORS = 6;

/** Lines that begin with the name of an error, such as `ValueError: x` and `panic: x`. */
const STRONG = /^\s*(?:Uncaught\s+|Caused by:\s*)?(?:[\w.$]*(?:Error|Exception)\b|panic:|fatal\b)/i;
const WEAK = /error|exception|panic|fatal|fail/i;

/**
 * Shortens text to its first lines, its last lines, and the lines in between that name an error.
 *
 * @param text Text that a subject wrote to standard error.
 */
export function excerptErrors(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= 2 * ENDS + MAX_ERRORS) return lines.join("\n");
  const isEnd = (index: number): boolean => index < ENDS || index >= lines.length - ENDS;
  const between = lines.flatMap((line, index) => isEnd(index) || !STRONG.test(line) ? [] : [index]);
  const kept = new Set(between.slice(-MAX_ERRORS));
  const found: string[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    if (!isEnd(index) && !kept.has(index)) {
      skipped++;
      continue;
    }
    if (skipped > 0) found.push(`… ${skipped} lines`);
    skipped = 0;
    found.push(line);
  }
  return found.join("\n");
}

/**
 * Returns the most useful line of a text: the last line that begins with the name of an error,
 * otherwise the last line that mentions an error, otherwise the last line. The message of an
 * exception is the last line of a stack trace in Python, and the first line in JavaScript.
 */
export function findErrorLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const named = lines.findLast((line) => STRONG.test(line)) ??
    lines.findLast((line) => WEAK.test(line)) ?? lines.at(-1) ?? "";
  return named.trim();
}
