/**
 * Conversion between command strings and lists of words.
 *
 * @module
 */

import { KitError, KitErrorCode } from "./error.ts";

const WORD = /[^\s"']+|"((?:\\.|[^"\\])*)"|'([^']*)'/y;

/**
 * Splits a command into words, without a shell. Whitespace separates words, quotes group characters
 * into one word, and a backslash in double quotes escapes a double quote or a backslash. All other
 * backslashes, such as those in paths of Windows, are ordinary characters.
 *
 * @param command A command such as `python3 "my driver.py" --fast`.
 * @throws {KitError} With code `usage` if the command is empty or a quote is not terminated.
 */
export function splitCommand(command: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < command.length; at = WORD.lastIndex) {
    WORD.lastIndex = at;
    const match = WORD.exec(command);
    if (match !== null) {
      word = (word ?? "") + (match[1]?.replace(/\\(["\\])/g, "$1") ?? match[2] ?? match[0]);
      continue;
    }
    if (!/\s/.test(command.charAt(at))) throw badCommand(command, "unterminated quote");
    if (word !== undefined) words.push(word);
    word = undefined;
    WORD.lastIndex = at + 1;
  }
  if (word !== undefined) words.push(word);
  if (words.length === 0) throw badCommand(command, "the command is empty");
  return words;
}

/**
 * Joins words into a command that {@linkcode splitCommand} and a POSIX shell split into the same
 * words.
 */
export function joinCommand(words: readonly string[]): string {
  return words.map((word) =>
    /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
  )
    .join(" ");
}

function badCommand(command: string, reason: string): KitError {
  return new KitError(
    KitErrorCode.Usage,
    `Cannot read command ${JSON.stringify(command)}: ${reason}`,
  );
}
