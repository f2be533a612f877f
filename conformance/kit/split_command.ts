/**
 * Commands written as one text.
 *
 * @module
 */

import { KitError, KitErrorCode } from "./error.ts";

const WORD = /[^\s"']+|"((?:\\.|[^"\\])*)"|'([^']*)'/y;

/**
 * Splits a command into words: white space separates, quotes hold together, a backslash in double quotes stands for
 * the next character. No shell looks at it.
 *
 * @param command such as `python3 "my driver.py" --fast`
 * @throws {KitError} `usage` when it is empty or a quote is left open
 */
export function splitCommand(command: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < command.length; at = WORD.lastIndex) {
    WORD.lastIndex = at;
    const match = WORD.exec(command);
    if (match !== null) {
      word = (word ?? "") + (match[1]?.replace(/\\(.)/g, "$1") ?? match[2] ?? match[0]);
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

/** Joins words so that {@linkcode splitCommand} and a shell take them apart again. */
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
