/**
 * Opens a session with an MCP server: `initialize` in legacy versions, `server/discover` in modern
 * versions.
 *
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { PROTOCOL_VERSIONS } from "../kit/protocol_versions.ts";
import type { RpcConnection } from "../subject/rpc_connection.ts";
import { waitFor } from "../subject/wait_for.ts";
import { Verdict } from "../kit/verdict.ts";
import { CaseEnd, failCase } from "./case_end.ts";

/** Information that a server returns when the session is opened. */
export interface ServerInfo {
  /** Name of the server. */
  readonly name: string;
  /** Version of the server. */
  readonly version: string;
  /** Negotiated protocol version. */
  readonly revision: string;
  /** Declared capabilities. */
  readonly capabilities: ReadonlySet<string>;
  /** Ids of the declared extensions. */
  readonly extensions: ReadonlySet<string>;
}

/** First protocol version without initialization. */
const FIRST_MODERN_VERSION = "2026-07-28";
const CLIENT: JsonObject = { name: "parley-kit", version: "1" };
const META = "io.modelcontextprotocol/";

/** Returns true for protocol versions without initialization. */
export function isModernVersion(revision: string): boolean {
  return revision >= FIRST_MODERN_VERSION;
}

/**
 * Creates the `_meta` members for requests in modern versions.
 *
 * @param revision The protocol version.
 * @param extensions Ids of the extensions that the client declares.
 */
export function modernMeta(revision: string, extensions: readonly string[] = []): JsonObject {
  return {
    [`${META}protocolVersion`]: revision,
    [`${META}clientCapabilities`]: extensions.length === 0 ? {} : declareExtensions(extensions),
    [`${META}clientInfo`]: CLIENT,
  };
}

/** Creates the capability object that declares extensions. */
export function declareExtensions(extensions: readonly string[]): JsonObject {
  return { extensions: Object.fromEntries(extensions.map((id) => [id, {}])) };
}

/** Thrown if a server sends no response to a request of the kit. */
export class NoResponse extends CaseEnd {}

/**
 * Opens a session.
 *
 * @param peer The kit's end of the connection.
 * @param revision The requested protocol version.
 * @param ms Timeout for each response, in milliseconds.
 * @throws {NoResponse} If the server sends no response.
 * @throws {CaseEnd} If the response is invalid, or if the kit does not know the protocol version.
 */
export async function openSession(
  peer: RpcConnection,
  revision: string,
  ms: number,
): Promise<ServerInfo> {
  if (isModernVersion(revision)) return await discover(peer, revision, ms);
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT };
  const result = await open(peer, "initialize", params, ms);
  const { protocolVersion, serverInfo } = result;
  if (typeof protocolVersion !== "string" || !isObject(serverInfo)) {
    const expected = "a result of initialize with protocolVersion and serverInfo";
    throw failCase({ expected, got: show(result) });
  }
  assertKnownVersion(protocolVersion, revision);
  peer.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    ...readInfo(serverInfo),
    revision: protocolVersion,
    ...readCapabilities(result.capabilities),
  };
}

async function discover(peer: RpcConnection, revision: string, ms: number): Promise<ServerInfo> {
  const result = await open(peer, "server/discover", { _meta: modernMeta(revision) }, ms);
  const { supportedVersions } = result;
  if (Array.isArray(supportedVersions) && !supportedVersions.includes(revision)) {
    const got = show(supportedVersions);
    throw failCase({ expected: `"${revision}" in supportedVersions`, got });
  }
  const meta = isObject(result._meta) ? result._meta : {};
  return {
    ...readInfo(meta[`${META}serverInfo`]),
    revision,
    ...readCapabilities(result.capabilities),
  };
}

/**
 * Checks the protocol version that a server negotiated. No case can be run in a version that the
 * kit does not know, and a version without initialization cannot be the result of `initialize`.
 */
function assertKnownVersion(negotiated: string, offered: string): void {
  const known = PROTOCOL_VERSIONS.filter((version) => !isModernVersion(version));
  if (known.includes(negotiated)) return;
  throw failCase({
    expected: `a protocol version that the kit knows (${known.join(", ")})`,
    got: `"${negotiated}" in the response to initialize with "${offered}"`,
  });
}

/**
 * Lists a server's tools, resources, prompts and templates as fixtures, such as `tool:x` and
 * `resource:uri`.
 *
 * @param peer The kit's end of the connection.
 * @param info Information that the server returned when the session was opened.
 * @param ms Timeout for each response, in milliseconds.
 */
export async function listFixtures(
  peer: RpcConnection,
  { capabilities, revision }: ServerInfo,
  ms: number,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const each of LISTS) {
    if (!capabilities.has(each.capability)) continue;
    // If the server does not return a list, the kit finds no fixtures in it, and the cases that
    // request the list fail.
    const names = await listNames(peer, each, revision, ms).catch((error: unknown) => {
      if (error instanceof CaseEnd) return [];
      throw error;
    });
    for (const name of names) found.add(name);
  }
  return found;
}

async function listNames(
  peer: RpcConnection,
  { kind, method, list, key }: (typeof LISTS)[number],
  revision: string,
  ms: number,
): Promise<readonly string[]> {
  const meta: JsonObject = isModernVersion(revision) ? { _meta: modernMeta(revision) } : {};
  const found: string[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params: JsonObject = typeof cursor === "string" ? { ...meta, cursor } : meta;
    const { [list]: items, nextCursor } = await call(peer, method, params, ms);
    for (const item of Array.isArray(items) ? items : []) {
      if (isObject(item)) found.push(`${kind}:${item[key]}`);
    }
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return found;
}

/**
 * Maximum number of pages read for one list. A faulty server could return an endless list.
 */
const MAX_PAGES = 20;

const LISTS = [
  { kind: "tool", capability: "tools", method: "tools/list", list: "tools", key: "name" },
  {
    kind: "resource",
    capability: "resources",
    method: "resources/list",
    list: "resources",
    key: "uri",
  },
  { kind: "prompt", capability: "prompts", method: "prompts/list", list: "prompts", key: "name" },
  {
    kind: "template",
    capability: "resources",
    method: "resources/templates/list",
    list: "resourceTemplates",
    key: "uriTemplate",
  },
] as const;

/**
 * Checks that the server returns different responses to different requests. Without this check, a
 * server that always sends the same response would pass every case that expects that response.
 *
 * @returns The shortest time between a request and its response, in milliseconds.
 * @throws {CaseEnd} If the server sends the same response to three unrelated requests, or no
 * response at all.
 */
export async function assertDistinctResponses(
  peer: RpcConnection,
  { revision }: ServerInfo,
  ms: number,
): Promise<number> {
  const methods = isModernVersion(revision)
    ? ["tools/call", "parley-kit/unknown", "server/discover"]
    : ["ping", "parley-kit/unknown", "tools/call"];
  const answers: string[] = [];
  let shortestMs = Infinity;
  for (const method of methods) {
    const began = performance.now();
    const answer = await probe(peer, method, { revision, ms });
    if (answer !== undefined) {
      answers.push(answer);
      shortestMs = Math.min(shortestMs, performance.now() - began);
      continue;
    }
    // The cases report that a response is missing, unless the server responds to no request.
    if (answers.length > 0) return shortestMs;
    if (method !== methods[0]) break;
  }
  if (answers.length === 0) {
    const expected = `a response to ${methods.slice(0, 2).join(" or ")}`;
    throw failCase({ expected, got: peer.describeSilence() });
  }
  if (new Set(answers).size > 1) return shortestMs;
  throw failCase({
    expected: "different responses to different requests",
    got: `the same response to ${methods.join(", ")}`,
  });
}

/** Sends a request without arguments. Resolves to the text of the response, except its id. */
async function probe(
  peer: RpcConnection,
  method: string,
  { revision, ms }: { readonly revision: string; readonly ms: number },
): Promise<string | undefined> {
  const params: JsonObject = isModernVersion(revision) ? { _meta: modernMeta(revision) } : {};
  const request = { jsonrpc: "2.0", id: `open ${method}`, method, params };
  const answer = await waitFor(peer.request(request), ms);
  return isObject(answer) ? show({ ...answer, id: null }, 10_000) : undefined;
}

/**
 * Sends the request that opens a session.
 *
 * @throws {NoResponse} If the server sends no response, or the request itself, such as `cat`.
 */
async function open(
  peer: RpcConnection,
  method: string,
  params: JsonValue,
  ms: number,
): Promise<Readonly<Record<string, unknown>>> {
  const pass = peer.intercept;
  peer.intercept = (message) => {
    if (message.method === method) peer.giveUp(message.id);
    return pass(message);
  };
  try {
    return await call(peer, method, params, ms);
  } finally {
    peer.intercept = pass;
  }
}

async function call(
  peer: RpcConnection,
  method: string,
  params: JsonValue,
  ms: number,
): Promise<Readonly<Record<string, unknown>>> {
  const request = { jsonrpc: "2.0", id: `open ${method}`, method, params };
  const answer = await waitFor(peer.request(request), ms);
  if (isObject(answer) && isObject(answer.result)) return answer.result;
  const run = { sent: show(request), expected: `a result within ${Math.round(ms)} ms` };
  if (isObject(answer)) throw failCase({ ...run, got: show(answer) });
  throw new NoResponse({ verdict: Verdict.Fail, ...run, got: peer.describeSilence() });
}

function readInfo(value: unknown): { readonly name: string; readonly version: string } {
  const { name, version } = isObject(value) ? value : {};
  return {
    name: typeof name === "string" ? name : "unnamed server",
    version: typeof version === "string" ? version : "0",
  };
}

/**
 * Reads the capabilities, such as `resources`, their members that are `true`, such as
 * `resources.subscribe`, and the extensions.
 */
function readCapabilities(value: unknown): Pick<ServerInfo, "capabilities" | "extensions"> {
  const declared = isObject(value) ? value : {};
  const names = Object.entries(declared).flatMap(([name, settings]) => {
    if (settings === false) return [];
    const inner = Object.entries(isObject(settings) ? settings : {});
    return [name, ...inner.flatMap(([key, is]) => is === true ? [`${name}.${key}`] : [])];
  });
  const extensions = Object.entries(isObject(declared.extensions) ? declared.extensions : {});
  return {
    capabilities: new Set(names),
    extensions: new Set(extensions.flatMap(([id, settings]) => isObject(settings) ? [id] : [])),
  };
}
