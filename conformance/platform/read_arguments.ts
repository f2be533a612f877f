/**
 * Reading a command line: the one door to `node:util`.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { KitError, KitErrorCode } from "../kit/error.ts";

/** An option of a command. */
export interface Flag {
  /** Whether it takes a value or stands alone. */
  readonly type: "string" | "boolean";
  /** Whether it may come several times. */
  readonly multiple?: boolean;
  /** A letter for it. */
  readonly short?: string;
}

/** What a command line holds. */
export interface Arguments {
  /** The words that are no options. */
  readonly words: readonly string[];
  /** The last value of a text option. */
  text(name: string): string | undefined;
  /** All values of a text option. */
  texts(name: string): readonly string[];
  /** Whether an option stands there. */
  has(name: string): boolean;
}

/**
 * Reads a command line.
 *
 * @throws {KitError} `usage` for an option that the command does not know, or one without its value
 */
export function readArguments(
  args: readonly string[],
  flags: Readonly<Record<string, Flag>>,
): Arguments {
  const { values, positionals } = parse(args, flags);
  const list = (name: string): readonly unknown[] => [values[name] ?? []].flat();
  return {
    words: positionals,
    text: (name) => list(name).filter(isText).at(-1),
    texts: (name) => list(name).filter(isText),
    has: (name) => list(name).includes(true),
  };
}

function parse(
  args: readonly string[],
  flags: Readonly<Record<string, Flag>>,
): { values: Readonly<Record<string, unknown>>; positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...args], options: { ...flags }, allowPositionals: true });
  } catch (error) {
    const reason = error instanceof Error
      ? error.message.split(/\.? To specify|\.?\n/)[0]
      : String(error);
    throw new KitError(KitErrorCode.Usage, `Invalid arguments: ${reason}`);
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
