/**
 * Parses the command line of the program that checks third-party implementations.
 *
 * @module
 */

import { readArguments, ToolError } from "../tools/cli.ts";

/** Result of {@linkcode readCommand}. */
export type Command =
  | {
    readonly kind: "run";
    /** Whether to check only the frameworks that belong to the nightly run. */
    readonly isNightly: boolean;
    /** Strings that must all occur in the name of a selected subject. */
    readonly words: readonly string[];
  }
  | { readonly kind: "help" }
  | { readonly kind: "invalid"; readonly reason: string };

/** Help text of the program. */
export const USAGE = `deno task interop [--nightly] [PART-OF-A-NAME...]

Checks third-party implementations whose names contain every argument, or all implementations.

Options
  --nightly    check only the frameworks of the nightly run
  -h, --help   show this text

Exit codes
  0 every check passed   1 a check failed   2 invalid usage
`;

const FLAGS = { nightly: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;

/** Reads the arguments of the program. */
export function readCommand(args: readonly string[]): Command {
  try {
    const { positionals: words, values: { help, nightly = false } } = readArguments(args, FLAGS);
    return help ? { kind: "help" } : { kind: "run", isNightly: nightly, words };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { kind: "invalid", reason: error.message };
  }
}
