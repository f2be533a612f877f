/**
 * Encodes tool names for model providers, which allow fewer characters in tool names than this
 * package.
 *
 * @module
 */

import type { ToolDefinition } from "../shared/model.ts";
import { shortHash } from "@parley/internal/short-hash";

/** Tool names that OpenAI, Anthropic and compatible APIs accept. */
const ACCEPTED = /^[A-Za-z0-9_-]{1,64}$/;

/** Tool names that the Gemini API accepts. They start with a letter or an underscore. */
export const GOOGLE_NAMES: RegExp = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Number of characters from the original name that precede the hash in an encoded name. */
const KEPT_LENGTH = 55;

/**
 * Encodes a tool name for a provider. A name that the provider accepts is returned unchanged. A
 * name that the provider rejects is shortened and given a hash suffix, so different names are
 * unlikely to have the same encoded name.
 *
 * @param name Name of the tool, which need not be registered.
 * @param accepted Names that the provider accepts.
 */
export function toWireName(name: string, accepted: RegExp = ACCEPTED): string {
  if (accepted.test(name)) return name;
  const kept = name.slice(0, KEPT_LENGTH).replace(/[^A-Za-z0-9_-]/g, "_");
  const suffix = `_${shortHash(name)}`;
  if (accepted.test(kept + suffix)) return kept + suffix;
  // The provider rejects the first character.
  return `_${kept.slice(0, KEPT_LENGTH - 1)}${suffix}`;
}

/** Returns the type of a provider-executed tool: the part of the tool's id after the first dot. */
export function toProviderType(id: string): string {
  return id.slice(id.indexOf(".") + 1);
}

/** Returns a map from encoded to original tool names, for tools whose encoded name differs. */
export function wireNamesOf(
  tools: readonly ToolDefinition[],
  accepted: RegExp = ACCEPTED,
): ReadonlyMap<string, string> {
  return new Map(
    tools.filter(({ name }) => !accepted.test(name))
      .map(({ name }) => [toWireName(name, accepted), name]),
  );
}
