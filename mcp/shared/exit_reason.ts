/**
 * Extracts an error message from the standard error output of an exited process.
 *
 * @module
 */

/**
 * Lines that are part of a stack trace: indented lines, lines without letters, and the version line
 * of Node.js and Bun.
 */
const NOISE = /^\s|^\W*$|^(Node\.js|Bun) v\d/;

/**
 * Lines that start with an error in a format used by common languages, shells and package runners.
 */
const ERROR = /^[\w."$ ]*(error|exception|panic|fatal)( \[\w+\])?: |\bnot found\b/i;

/** Number of final lines that are searched for an error. */
const LAST_LINES = 10;

/**
 * Returns the most informative of the final lines: the last line that looks like an error, or else
 * the last line. Returns an empty string if the output is empty.
 */
export function exitReason(text: string): string {
  const lines = text.trimEnd().split(/\r?\n/);
  const telling = lines.filter((line) => !NOISE.test(line)).slice(-LAST_LINES);
  const error = telling.filter((line) => ERROR.test(line)).at(-1);
  return (error ?? telling.at(-1) ?? lines.at(-1) ?? "").trim();
}
