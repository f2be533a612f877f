/**
 * First looks at what a model's endpoint sends, and the words for what is wrong with it.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { isRecord } from "../shared/json.ts";

/** An object from the wire whose fields nobody has looked at. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The error for an answer that is not what the interface promises. */
export function malformed(what: string, options?: ErrorOptions): AgentError {
  return AgentError.modelError(`the answer is malformed: ${what}`, options);
}

/** A text that says something, or undefined. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A count of tokens, or undefined. */
export function readCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** An object, or one without fields where there is none. */
export function readRecord(value: unknown): WireObject {
  return isRecord(value) ? value : {};
}

/** An object; anything else is an error. */
export function expectRecord(value: unknown, what: string): WireObject {
  if (isRecord(value)) return value;
  throw malformed(`${what} is ${describeType(value)}, not an object`);
}

/** A list, empty where there is none; anything else is an error. */
export function expectList(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw malformed(`${what} is ${describeType(value)}, not an array`);
}

/** Parses JSON text that must be an object. */
export function parseRecord(text: string, what: string): WireObject {
  if (text.trim() === "") throw malformed(`${what} is empty`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text without a limit.
    throw malformed(`${what} is no JSON but ${quote(text)}`);
  }
  return expectRecord(value, what);
}

/** A value as JSON text. One that has none (a cycle, a bigint) is an error; nothing at all is an empty object. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "{}";
  } catch (error) {
    throw AgentError.modelError(`the request is no JSON: ${errorMessageOf(error)}`, {
      cause: error,
    });
  }
}

/** The fields that are there. */
export function withoutAbsent(fields: WireObject): WireObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Foreign text for a message: one line, in quotes, cut short. */
export function quote(text: string, maxLength = 200): string {
  return `"${clip(text, maxLength)}"`;
}

/** Foreign text as one line, cut short. */
export function clip(text: string, maxLength: number): string {
  // The first cut keeps the replacement from walking through megabytes.
  const line = text.slice(0, maxLength * 2).replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}

function describeType(value: unknown): string {
  if (value === null || value === undefined) return "missing";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
