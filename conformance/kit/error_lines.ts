/**
 * Excerpts from the standard error of a subject.
 *
 * @module
 */

/** Number of lines that an excerpt keeps at each end. */
const ENDS = 6;
/** Maximum number of lines between the ends that an excerpt keeps because they name an error. */
const MAX_ERRORS = 6;

/**
 * Lines that begin with the name of an error, such as `ValueError: x` and `panic: x`, after an
 * optional label in brackets.
 */
const STRONG =
  /^\s*(?:\[[^\]]*\]\s*)?(?:Uncaught\s+|Caused by:\s*)?(?:[\w.$]*(?:Error|Exception)\b|panic:|fatal\b)/i;
const WEAK = /error|exception|panic|fatal|fail/i;
/** Lines of a stack trace in JavaScript or Java. */
const FRAME = /^\s+at /;

/**
 * Shortens text to its first lines, its last lines, and the lines in between that name an error.
 * The frames of a stack trace after the first two do not count as last lines.
 *
 * @param text Text that a subject wrote to standard error.
 */
export function excerptErrors(text: string): string {
  const lines = text.trimEnd().split("\n");
  if (lines.length <= 2 * ENDS + MAX_ERRORS) return lines.join("\n");
  const isDeep = (index: number): boolean =>
    [index, index - 1, index - 2].every((each) => FRAME.test(lines[each] ?? ""));
  const indexes = [...lines.keys()].filter((index) => !isDeep(index));
  const between = indexes.slice(ENDS, -ENDS).filter((index) => STRONG.test(lines[index] ?? ""));
  const kept = new Set([
    ...indexes.slice(0, ENDS),
    ...between.slice(-MAX_ERRORS),
    ...indexes.slice(-ENDS),
  ]);
  const found: string[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    if (!kept.has(index)) {
      skipped++;
      continue;
    }
    if (skipped > 0) found.push(formatSkipped(skipped));
    skipped = 0;
    found.push(line);
  }
  return [...found, ...(skipped > 0 ? [formatSkipped(skipped)] : [])].join("\n");
}

function formatSkipped(count: number): string {
  return count === 1 ? "… 1 line" : `… ${count} lines`;
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
