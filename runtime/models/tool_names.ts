/**
 * Encodes tool names for model providers, which allow fewer characters in tool names than this
 * package.
 *
 * @module
 */

import type { ToolDefinition } from "../shared/model.ts";

/** Tool names that OpenAI, Anthropic and compatible APIs accept. */
const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** Number of characters from the original name that precede the hash in an encoded name. */
const KEPT_LENGTH = 55;

/**
 * Encodes a tool name for a provider. A name that providers accept is returned unchanged. A name
 * that providers reject is shortened and given a hash suffix, so different names are unlikely to
 * have the same encoded name.
 *
 * @param name Name of the tool, which need not be registered.
 */
export function toWireName(name: string): string {
  if (ACCEPTED.test(name)) return name;
  const kept = name.slice(0, KEPT_LENGTH).replace(/[^A-Za-z0-9_-]/g, "_");
  return `${kept}_${hash(name)}`;
}

/** Returns the type of a provider-executed tool: the part of the tool's id after the first dot. */
export function toProviderType(id: string): string {
  return id.slice(id.indexOf(".") + 1);
}

/** Returns a map from encoded to original tool names, for tools whose encoded name differs. */
export function wireNamesOf(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  return new Map(
    tools.filter(({ name }) => !ACCEPTED.test(name)).map(({ name }) => [toWireName(name), name]),
  );
}

/**
 * Returns the 32-bit FNV-1a hash as eight hexadecimal digits. FNV-1a is not a cryptographic hash.
 */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, "0");
}
