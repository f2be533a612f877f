/**
 * Storage for the owners of items, so that the owners stay the same after a restart.
 *
 * @module
 */

import type { RegisteredItem } from "../server/registry.ts";
import { isRecord } from "@parley/internal/json";
import { abortable } from "@parley/internal/abortable";
import { McpError } from "../shared/error.ts";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import type { ItemKind } from "./items.ts";
import type { Claim } from "./owners.ts";

/** An item and the server that owns it. */
export interface OwnedItem extends RegisteredItem {
  /** Key of the server that owns the item. */
  readonly server: string;
  /** The server's own name for the item, which differs from `name` for tools and prompts. */
  readonly ownName: string;
}

/**
 * Stores which server owns which item. A gateway stores at most `2 * maxItems` items per server.
 * Several gateways must not share a store.
 */
export interface OwnerStore {
  /** Returns the items of the last call to `save`, in the same order, or an empty array. */
  load(signal: AbortSignal): Promise<readonly OwnedItem[]>;
  /** Replaces the stored items. */
  save(items: readonly OwnedItem[], signal: AbortSignal): Promise<void>;
}

/** Names of the item kinds in the `visible` option and the registries of a server. */
export const REGISTERED_KINDS: Readonly<Record<ItemKind, RegisteredItem["kind"]>> = {
  tools: "tool",
  resources: "resource",
  templates: "resource template",
  prompts: "prompt",
};

const ITEM_KINDS: ReadonlyMap<unknown, ItemKind> = new Map([
  ["tool", "tools"],
  ["resource", "resources"],
  ["resource template", "templates"],
  ["prompt", "prompts"],
]);

/** Limits for calls to a store. */
export interface StoreLimits {
  /** Timeout for the store's response, in milliseconds. */
  readonly timeoutMs: number;
  /** Signal that is aborted when the gateway closes. */
  readonly closing: AbortSignal;
}

/**
 * Loads the stored claims.
 *
 * @throws {McpError} With code `core` if the store fails, does not respond in time or does not
 * return items.
 */
export async function loadClaims(
  store: OwnerStore,
  limits: StoreLimits,
): Promise<readonly Claim[]> {
  return await callStore("load", limits, async (signal) => {
    const loaded: unknown = await store.load(signal);
    const claims = Array.isArray(loaded) ? loaded.map(readClaim) : [undefined];
    return claims.map((claim) => {
      if (claim !== undefined) return claim;
      throw new TypeError('"owners.load" must return the items that "owners.save" has received');
    });
  });
}

/**
 * Stores claims.
 *
 * @throws {McpError} With code `core` if the store fails or does not respond in time.
 */
export async function saveClaims(
  store: OwnerStore,
  claims: readonly Claim[],
  limits: StoreLimits,
): Promise<void> {
  const items = claims.map(({ kind, ...claim }) => ({ ...claim, kind: REGISTERED_KINDS[kind] }));
  await callStore("save", limits, async (signal) => await store.save(items, signal));
}

async function callStore<T>(
  action: "load" | "save",
  { timeoutMs, closing }: StoreLimits,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));
  const signal = AbortSignal.any([closing, timeout]);
  try {
    return await abortable(call(signal), signal);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    const reason = timeout.aborted ? `timed out after ${timeoutMs} ms` : text;
    throw McpError.core(`"owners.${action}" failed: ${reason}`, { cause });
  }
}

function readClaim(item: unknown): Claim | undefined {
  if (!isRecord(item)) return undefined;
  const { name, server, ownName } = item;
  const kind = ITEM_KINDS.get(item.kind);
  const isValid = kind !== undefined && typeof name === "string" && typeof server === "string" &&
    typeof ownName === "string";
  return isValid ? { kind, name, server, ownName } : undefined;
}
