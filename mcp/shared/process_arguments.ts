/**
 * Checks of the arguments and environment variables of a child process, which can be secret.
 *
 * @module
 */

import { assertString } from "@parley/internal/assert-argument";

/**
 * Checks an argument or an environment variable.
 *
 * @throws {TypeError} If the value is not a string, or contains U+0000, which no operating system
 * accepts. The error of the runtime would contain the value; this error does not.
 */
export function assertProcessText(name: string, value: unknown): void {
  assertString(name, value);
  if (!value.includes("\0")) return;
  throw new TypeError(`"${name}" must be a string without U+0000`);
}

/**
 * Removes the arguments from an error of `spawn()`. Loggers print them, and they can be secret.
 * Returns the error.
 */
export function withoutArguments(error: unknown): unknown {
  if (typeof error === "object" && error !== null) Reflect.deleteProperty(error, "spawnargs");
  return error;
}
