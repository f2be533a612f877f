/**
 * The form of the tables of messages: a valid message, and changes that make it invalid.
 *
 * @module
 */

import type { Sender } from "../methods.ts";
import type { MessageVersion } from "../versions.ts";

/** The value of a member that is removed. */
export const MISSING: unique symbol = Symbol("missing");

/**
 * A change that makes a message invalid, from the first to the last version. In all other versions,
 * the changed message is valid, because the version does not name the member.
 */
export type Change = readonly [
  path: string,
  value: unknown,
  first?: MessageVersion,
  last?: MessageVersion,
];

/** A message that is valid in several versions, and its changes. */
export interface MessageRow {
  readonly from: Sender;
  /** For results: the method of the request. */
  readonly method?: string;
  /** The first and the last version in which the method exists. Default: all versions. */
  readonly versions?: readonly [MessageVersion, MessageVersion];
  readonly message: Part;
  readonly wrong: readonly Change[];
}

/** A part of a message. */
export type Part = Readonly<Record<string, unknown>>;

/** Moves changes to another place in a message. */
export function at(prefix: string, changes: readonly Change[]): readonly Change[] {
  return changes.map(([path, ...rest]) => [
    path.startsWith("[") ? `${prefix}${path}` : `${prefix}.${path}`,
    ...rest,
  ]);
}

/** Limits changes to versions from one version on. */
export function from(version: MessageVersion, changes: readonly Change[]): readonly Change[] {
  return changes.map(([path, value, first, last]) => {
    const later = first !== undefined && first > version ? first : version;
    return last === undefined ? [path, value, later] : [path, value, later, last];
  });
}

/** A request with the metadata that the modern version requires. */
export function requestOf(method: string, params: object): Part {
  return { jsonrpc: "2.0", id: 1, method, params: { _meta: REQUEST_META, ...params } };
}

/** A response with a result and the members that the modern version requires. */
export function resultOf(result: object): Part {
  return {
    jsonrpc: "2.0",
    id: 1,
    result: { resultType: "complete", _meta: RESULT_META, ...result },
  };
}

/** A result that a modern client can use again. */
export function cachedResultOf(result: object): Part {
  return resultOf({ ttlMs: 0, cacheScope: "public", ...result });
}

/** The changes of {@linkcode cachedResultOf}. */
export const CACHED: readonly Change[] = [
  ["result.ttlMs", MISSING, "2026-07-28"],
  ["result.ttlMs", -1, "2026-07-28"],
  ["result.ttlMs", 1.5, "2026-07-28"],
  ["result.cacheScope", MISSING, "2026-07-28"],
  ["result.cacheScope", "shared", "2026-07-28"],
  ["result.resultType", "input_required", "2026-07-28"],
];

/** Names, versions and icons. */
export const PROGRAM: Part = {
  name: "program",
  version: "1.0",
  title: "Program",
  description: "Does much",
  websiteUrl: "https://example.com",
  icons: [{
    src: "https://example.com/icon.png",
    mimeType: "image/png",
    sizes: ["48x48"],
    theme: "dark",
  }],
};

/** The changes of the icons of {@linkcode PROGRAM}. */
export const ICONS: readonly Change[] = from("2025-11-25", [
  ["icons", {}],
  ["icons[0]", "https://example.com/icon.png"],
  ["icons[0].src", MISSING],
  ["icons[0].src", "icon.png"],
  ["icons[0].src", 1],
  ["icons[0].mimeType", 1],
  ["icons[0].sizes", "48x48"],
  ["icons[0].sizes[0]", 48],
  ["icons[0].theme", "blue"],
]);

/** The changes of {@linkcode PROGRAM}. */
export const PROGRAM_CHANGES: readonly Change[] = [
  ["name", MISSING],
  ["name", 1],
  ["version", MISSING],
  ["version", 1],
  ["title", 1, "2025-06-18"],
  ["description", 1, "2025-11-25"],
  ["websiteUrl", 1, "2025-11-25"],
  ["websiteUrl", "example", "2025-11-25"],
  ...ICONS,
];

/** The capabilities of a client. */
export const CLIENT_CAPABILITIES: Part = {
  experimental: { any: {} },
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  tasks: {
    list: {},
    cancel: {},
    requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
  },
  extensions: { "io.modelcontextprotocol/tasks": {} },
};

/** The changes of {@linkcode CLIENT_CAPABILITIES}. */
export const CLIENT_CAPABILITY_CHANGES: readonly Change[] = [
  ["experimental", []],
  ["experimental.any", true],
  ["roots", true],
  ["roots.listChanged", "yes", "2024-11-05", "2025-11-25"],
  ["sampling", true],
  ["sampling.context", true, "2025-11-25"],
  ["sampling.tools", true, "2025-11-25"],
  ["elicitation", true, "2025-06-18"],
  ["elicitation.form", true, "2025-11-25"],
  ["elicitation.url", true, "2025-11-25"],
  ["tasks", true, "2025-11-25", "2025-11-25"],
  ["tasks.list", true, "2025-11-25", "2025-11-25"],
  ["tasks.cancel", true, "2025-11-25", "2025-11-25"],
  ["tasks.requests", true, "2025-11-25", "2025-11-25"],
  ["tasks.requests.sampling", true, "2025-11-25", "2025-11-25"],
  ["tasks.requests.sampling.createMessage", true, "2025-11-25", "2025-11-25"],
  ["tasks.requests.elicitation", true, "2025-11-25", "2025-11-25"],
  ["tasks.requests.elicitation.create", true, "2025-11-25", "2025-11-25"],
  ["extensions", [], "2026-07-28"],
  ['extensions["io.modelcontextprotocol/tasks"]', true, "2026-07-28"],
];

/** The metadata of a request. */
export const REQUEST_META: Part = {
  progressToken: 1,
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": CLIENT_CAPABILITIES,
  "io.modelcontextprotocol/clientInfo": PROGRAM,
  "io.modelcontextprotocol/logLevel": "info",
};

/** The metadata of a result. */
export const RESULT_META: Part = { "io.modelcontextprotocol/serverInfo": PROGRAM };
