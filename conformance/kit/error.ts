/**
 * Failures of the kit itself and of those who call it; a failing subject is never an error but a verdict.
 *
 * @module
 */

/** What a {@linkcode KitError} is about. */
export const KitErrorCode = {
  /** Wrong options, names or patterns. */
  Usage: "usage",
  /** A case, baseline, recording or other file is missing or malformed. */
  BadFile: "bad_file",
  /** The subject cannot be started or never says hello. */
  SubjectStart: "subject_start",
  /** The selection holds no case. */
  NothingToRun: "nothing_to_run",
  /** The kit broke its own rules. */
  KitFault: "kit_fault",
} as const;

/** A value of {@linkcode KitErrorCode}. */
export type KitErrorCode = (typeof KitErrorCode)[keyof typeof KitErrorCode];

/**
 * Thrown when the kit cannot go on.
 *
 * @example Tell a malformed case file from other trouble
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
  /** What it is about; branch on this. */
  readonly code: KitErrorCode;

  /**
   * Makes the error.
   *
   * @param code what it is about
   * @param message one line for a person: "Cannot <verb> <object>: <fact>"
   * @param options the error behind it, if any
   */
  constructor(code: KitErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
