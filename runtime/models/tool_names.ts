/**
 * Tool names as providers accept them: they are stricter than tools are named.
 *
 * @module
 */

import type { ToolDefinition } from "../shared/model.ts";

/** What OpenAI, Anthropic and those who follow them accept. */
const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** So much of a name stays in front of its mark. */
const KEPT_LENGTH = 55;

/**
 * The name under which the provider knows a tool: its own where that is accepted, otherwise one made of it that is always
 * the same and that no two names are likely to share.
 *
 * @param name the tool's name, or what a model took for one
 */
export function toWireName(name: string): string {
  if (ACCEPTED.test(name)) return name;
  const kept = name.slice(0, KEPT_LENGTH).replace(/[^A-Za-z0-9_-]/g, "_");
  return `${kept}_${hash(name)}`;
}

/** The tools' names by their names on the wire, for those where the two differ. */
export function wireNamesOf(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  return new Map(
    tools.filter(({ name }) => !ACCEPTED.test(name)).map(({ name }) => [toWireName(name), name]),
  );
}

/** FNV-1a, 32 bits, as eight hexadecimal digits. It need not be hard to forge: it only marks a difference. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, "0");
}
