/**
 * Errors in the kit, or in how it is used. A failing subject is reported as a verdict, not as an
 * error.
 *
 * @module
 */

import { escapeText } from "./escape_text.ts";

/** Codes of a {@linkcode KitError}. */
export const KitErrorCode = {
  /** Invalid options, names or patterns. */
  Usage: "usage",
  /** A case, baseline, recording or other file is missing or malformed. */
  BadFile: "bad_file",
  /** The subject failed to start. */
  SubjectStart: "subject_start",
  /** No cases were selected. */
  NothingToRun: "nothing_to_run",
  /** Error in the kit itself. */
  KitFault: "kit_fault",
} as const;

/** A value of {@linkcode KitErrorCode}. */
export type KitErrorCode = (typeof KitErrorCode)[keyof typeof KitErrorCode];

/**
 * Thrown if the kit cannot continue.
 *
 * @example Detect a malformed case file
 * ```ts
 * import { KitError, readSuite } from "@parley/conformance";
 * import { assertInstanceOf, assertThrows } from "@std/assert";
 *
 * const error = assertThrows(() => readSuite(new Map([["mine.json", { kit: 2 }]])));
 * assertInstanceOf(error, KitError);
 * if (error.code !== "bad_file") throw error;
 * ```
 */
export class KitError extends Error {
  /** Always `"KitError"`. */
  override readonly name = "KitError";
  /** Error code. */
  readonly code: KitErrorCode;

  /**
   * Creates an error.
   *
   * @param code Error code.
   * @param message Message of the form "Cannot <verb> <object>: <reason>".
   * @param options Options for the `Error` constructor, such as `cause`.
   */
  constructor(code: KitErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(escapeText(message), options);
    this.code = code;
  }
}
