/**
 * Messages on a wire: what the transports beyond one process have in common.
 *
 * @module
 */

import { CommError } from "../shared/error.ts";
import { checkText } from "../shared/json_parse.ts";
import type { AgentCommMessage } from "../message/message.ts";
import { formatMessage, parseMessage } from "../message/message_json.ts";

/** Writes a message, within the limit that its reader has too. */
export function writeMessage(message: AgentCommMessage, maxBytes: number): string {
  return checkText(formatMessage(message), maxBytes);
}

/** Reads a message; what is wrong with it is its receiver's to know. */
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

/** Refuses a limit that is no positive number. */
export function assertPositive(limits: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(limits)) {
    if (!(value > 0)) throw new RangeError(`"${name}" must be positive, got ${value}`);
  }
}

/** Lets time pass. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether work settles, well or not, before the time is over. */
export async function settlesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.min(timeoutMs, 0x7fffffff), false);
  });
  const settled = work.then(() => true, () => true);
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
