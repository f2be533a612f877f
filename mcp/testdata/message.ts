import { assert } from "@std/assert";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";

/** A JSON-RPC message for test assertions. Only the top-level members of the message are typed. */
export interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: JsonObject;
}

/** Returns the value, which must be a message. */
export function messageOf(value: unknown): Message {
  assert(isMessage(value), `${JSON.stringify(value)} is not a valid message`);
  return value;
}

function isMessage(value: unknown): value is Message {
  if (!isRecord(value)) return false;
  const { method, params, result, error } = value;
  return (method === undefined || typeof method === "string") &&
    [params, result, error].every((member) => member === undefined || isRecord(member));
}

/** Returns the value at a path of names and indexes, or `undefined` if it does not exist. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, step) =>
      typeof found === "object" && found !== null ? Reflect.get(found, step) : undefined,
    value,
  );
}
