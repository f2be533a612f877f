/**
 * Parses command lines. The only module that imports `node:util`.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { KitError, KitErrorCode } from "../kit/error.ts";

/** A command-line option. */
export interface Flag {
  /** `string` if the option requires a value. */
  readonly type: "string" | "boolean";
  /** Whether the option can be repeated. */
  readonly multiple?: boolean;
  /** One-letter short name. */
  readonly short?: string;
}

/** A parsed command line. */
export interface Arguments {
  /** Positional arguments. */
  readonly words: readonly string[];
  /** Returns the last value of an option. */
  text(name: string): string | undefined;
  /** Returns all values of an option. */
  texts(name: string): readonly string[];
  /** Returns true if a boolean option is set. */
  has(name: string): boolean;
}

/**
 * Parses a command line.
 *
 * @throws {KitError} With code `usage` if an option is unknown or its value is missing.
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
