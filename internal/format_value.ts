/**
 * Formats values for error messages.
 *
 * @module
 */

import { escapeText, excerpt } from "./escape_text.ts";

/** Quotes a string for an error message, truncated and without invisible characters. */
export function quote(text: string, maxLength: number = 100): string {
  return escapeText(JSON.stringify(excerpt(text, maxLength)));
}

/**
 * Formats a value for an error message. Never throws, so that an invalid argument always results in
 * the error that names the argument. Strings are quoted and truncated to 100 characters. An object
 * is described by its class.
 */
export function formatValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "function":
      return "a function";
    case "object":
      return value === null ? "null" : formatObject(value);
    default:
      return escapeText(excerpt(String(value)));
  }
}

function formatObject(value: object): string {
  try {
    if (Array.isArray(value)) return "an array";
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
    if (typeof name !== "string" || name === "" || name === "Object") return "an object";
    return `an instance of ${escapeText(excerpt(name))}`;
  } catch {
    // A getter or a proxy threw an error, or the proxy is revoked.
    return "an object";
  }
}
