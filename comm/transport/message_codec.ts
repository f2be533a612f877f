/**
 * Message encoding and timeout helpers for transports between processes.
 *
 * @module
 */

import { MAX_TIMER_MS, resolveWithin } from "@parley/internal/timers";
import { CommError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { checkText, DEFAULT_MAX_BYTES } from "../shared/json_parse.ts";
import type { AgentCommMessage } from "../message/message.ts";
import { formatMessage, parseMessage } from "../message/message_json.ts";

/** Formats a message. Throws `message_too_large` if the message exceeds the limit. */
export function writeMessage(message: AgentCommMessage, maxBytes: number): string {
  return checkText(formatMessage(message), maxBytes);
}

/**
 * Parses a message. If the message is invalid, returns the error so that the transport can queue
 * it.
 */
export function readMessage(
  input: string | Uint8Array,
  maxBytes: number,
): AgentCommMessage | CommError {
  try {
    return parseMessage(input, { maxBytes });
  } catch (error) {
    if (error instanceof CommError) return error;
    throw error;
  }
}

/** Default maximum total size of the queued messages in each direction, in bytes. */
export const DEFAULT_MAX_QUEUED_BYTES: number = 8 * DEFAULT_MAX_BYTES;

/**
 * Throws a `TypeError` unless a value has a method. `name` and `expected` describe the value in the
 * error message.
 */
export function assertHasMethod(
  name: string,
  expected: string,
  value: unknown,
  method: string,
): void {
  try {
    const isObject = typeof value === "object" && value !== null;
    if (isObject && typeof Reflect.get(value, method) === "function") return;
  } catch {
    // A value that cannot be read, such as a revoked proxy, does not have the method.
  }
  throw new TypeError(`"${name}" must be ${expected}, got ${formatValue(value)}`);
}

/** Waits for the given time, in milliseconds, limited to the longest delay of a timer. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(ms, MAX_TIMER_MS)));
}

/** Returns `true` if a promise settles before the timeout. */
export async function settlesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const settled = work.then(() => true, () => true);
  return await resolveWithin(settled, timeoutMs) === true;
}
