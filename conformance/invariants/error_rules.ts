/**
 * Rules on the codes of errors.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import type { Seen } from "./dialogue.ts";

const MODERN = "2026-07-28";
/** Codes that only the specification defines: the first, the last, and those that it defines. */
const RESERVED = { first: -32099, last: -32020 };
const DEFINED: ReadonlySet<unknown> = new Set([-32020, -32021, -32022]);
/** Codes that earlier versions defined. */
const RETIRED: ReadonlySet<unknown> = new Set([-32002, -32042]);

/**
 * Finds an error code that is reserved in modern versions. Returns `undefined` for other messages.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export function findErrorCodeProblems({ message, version }: Seen): readonly string[] | undefined {
  if (version !== MODERN || !isObject(message.error)) return undefined;
  const { code } = message.error;
  const isReserved = typeof code === "number" && code >= RESERVED.first && code <= RESERVED.last;
  return (isReserved && !DEFINED.has(code)) || RETIRED.has(code)
    ? [`an error with the reserved code ${String(code)}`]
    : [];
}
