/**
 * Checks that the strict servers share. A strict server rejects every request that the
 * documentation of its API does not permit.
 *
 * @module
 */

import { decodeBase64 } from "@parley/internal/base64";

/** A value from a request. */
// deno-lint-ignore no-explicit-any
export type Wire = any;

/** The error of a request that the API rejects. */
export class Refusal extends Error {}

/** Rejects a request unless a condition holds. */
export function must(condition: unknown, rule: string, value?: unknown): asserts condition {
  if (condition) return;
  throw new Refusal(
    value === undefined ? rule : `${rule}: ${JSON.stringify(value)?.slice(0, 300)}`,
  );
}

/** Rejects an object with other members than the given ones. */
export function mustHaveOnly(value: Wire, names: readonly string[], what: string): void {
  for (const name of Object.keys(value)) must(names.includes(name), `${what} has "${name}"`, value);
}

/** Rejects a request body that strict JSON parsers reject. */
export function mustBeWellFormed(text: string): void {
  must(text.isWellFormed(), "the body is not well-formed");
  const withoutBackslashes = text.replaceAll("\\\\", "");
  must(!/\\ud[89a-f]/i.test(withoutBackslashes), "the body escapes half a surrogate pair");
}

/** An image that models create, in base64. */
export const IMAGE: string = btoa("\x89PNG\r\n\x1a\n1111");

const MAGIC: Readonly<Record<string, string>> = {
  "image/png": "\x89PNG",
  "image/jpeg": "\xff\xd8\xff",
  "image/gif": "GIF8",
  "image/webp": "RIFF",
  "application/pdf": "%PDF",
};

/** Rejects a file whose data is not base64, or is not of its media type. */
export function mustBeFile(mediaType: string, data: unknown, accepted: readonly string[]): void {
  must(accepted.includes(mediaType), "unsupported media type", mediaType);
  must(typeof data === "string" && data !== "", "a file without data");
  must(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data), "not base64");
  const start = String.fromCharCode(...decodeBase64(data.slice(0, 16)));
  const magic = MAGIC[mediaType];
  must(magic === undefined || start.startsWith(magic), "data of another type", mediaType);
}

/** Rejects a file in a `data:` URL. */
export function mustBeDataUrl(url: unknown, accepted: readonly string[]): void {
  const [, mediaType = "", data = ""] = /^data:([^;,]*);base64,(.*)$/s.exec(String(url)) ?? [];
  mustBeFile(mediaType, data, accepted);
}

/** Rejects a tool definition whose name or schema the documentation does not permit. */
export function mustBeTool(name: unknown, schema: Wire, names: RegExp): void {
  must(names.test(String(name)), "tool name", name);
  must(schema?.type === "object", "the schema of a tool must have the type object", schema);
  must(typeof schema.properties === "object" && schema.properties !== null, "no properties");
  for (const keyword of ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"]) {
    must(!(keyword in schema), `the schema of a tool must not start with ${keyword}`);
  }
  mustBeSchema(schema);
  for (const reference of referencesIn(schema)) {
    must(hasTarget(schema, reference), "reference without a target", reference);
  }
}

function referencesIn(value: Wire): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(referencesIn);
  return typeof value.$ref === "string" ? [value.$ref, ...inside] : inside;
}

function hasTarget(schema: Wire, reference: unknown): boolean {
  const [start, ...names] = String(reference).split("/").map(decodeURIComponent);
  return start === "#" && names.reduce((value, name) => value?.[name], schema) !== undefined;
}

function mustBeSchema(schema: Wire): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [name, value] of Object.entries<Wire>(schema.properties ?? {})) {
    must(/^[a-zA-Z0-9_.-]{1,64}$/.test(name), "property name", name);
    mustBeSchema(value);
  }
  must(schema.required === undefined || Array.isArray(schema.required), "required", schema);
  must(!Array.isArray(schema.items), "items must be a schema", schema);
  mustBeSchema(schema.items);
}

/** Rejects calls and results that do not belong together: one result per call, in any order. */
export function mustMatch(calls: readonly unknown[], results: readonly unknown[]): void {
  must(new Set(calls).size === calls.length, "two calls with one id", calls);
  must(
    JSON.stringify([...calls].sort()) === JSON.stringify([...results].sort()),
    "every call needs exactly one result",
    { calls, results },
  );
}
