/**
 * What a program has said at last.
 *
 * @module
 */

/** What stands around an error: frames and quoted source are indented, brackets and carets have no letters. */
const NOISE = /^\s|^\W*$|^(Node\.js|Bun) v\d/;

/** What most languages, and those who find no program or package, begin an error with. */
const ERROR = /^[\w."$ ]*(error|exception|panic|fatal)( \[\w+\])?: |\bnot found\b/i;

/** How many lines back an error still has to do with the end. */
const LAST_LINES = 10;

/**
 * The line that says most about why a program has ended: of the last lines the last that looks like an error, else the
 * last. Empty when there is none.
 */
export function exitReason(text: string): string {
  const lines = text.trimEnd().split(/\r?\n/);
  const telling = lines.filter((line) => !NOISE.test(line)).slice(-LAST_LINES);
  const error = telling.filter((line) => ERROR.test(line)).at(-1);
  return (error ?? telling.at(-1) ?? lines.at(-1) ?? "").trim();
}
