/**
 * Opening a session with an MCP server: the handshake of older revisions, or a look at what a stateless server offers.
 *
 * @module
 */

import { isObject, type JsonObject, type JsonValue } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import type { RpcConnection, RpcMessage } from "../subject/rpc_connection.ts";
import { waitFor } from "../subject/wait_for.ts";
import { failCase } from "./case_end.ts";

/** What a server said of itself. */
export interface ServerInfo {
  /** Its name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** The revision that both sides speak. */
  readonly revision: string;
  /** The capabilities that it declares. */
  readonly capabilities: ReadonlySet<string>;
  /** The ids of the extensions that it declares. */
  readonly extensions: ReadonlySet<string>;
}

/** The first revision without a handshake. */
const FIRST_MODERN_VERSION = "2026-07-28";
const CLIENT: JsonObject = { name: "parley-kit", version: "1" };
const META = "io.modelcontextprotocol/";

/** Whether a revision has no handshake. */
export function isModernVersion(revision: string): boolean {
  return revision >= FIRST_MODERN_VERSION;
}

/**
 * The `_meta` members that every request of a stateless revision carries.
 *
 * @param revision the revision
 * @param extensions ids of the extensions that the client declares
 */
export function modernMeta(revision: string, extensions: readonly string[] = []): JsonObject {
  return {
    [`${META}protocolVersion`]: revision,
    [`${META}clientCapabilities`]: extensions.length === 0 ? {} : declareExtensions(extensions),
    [`${META}clientInfo`]: CLIENT,
  };
}

/** What a side says of the extensions that it knows, among its capabilities. */
export function declareExtensions(extensions: readonly string[]): JsonObject {
  return { extensions: Object.fromEntries(extensions.map((id) => [id, {}])) };
}

/**
 * Opens a session.
 *
 * @param peer the kit's end of the wire
 * @param revision the revision to ask for
 * @param ms how long each answer may take
 * @throws {CaseEnd} when the server does not do its part
 */
export async function openSession(
  peer: RpcConnection,
  revision: string,
  ms: number,
): Promise<ServerInfo> {
  if (isModernVersion(revision)) return await discover(peer, revision, ms);
  const result = await call(peer, "initialize", {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: CLIENT,
  }, ms);
  const { protocolVersion, serverInfo } = result;
  if (typeof protocolVersion !== "string" || !isObject(serverInfo)) {
    const expected = "a result of initialize with protocolVersion and serverInfo";
    throw failCase({ expected, got: show(result) });
  }
  peer.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return {
    ...readInfo(serverInfo),
    revision: protocolVersion,
    ...readCapabilities(result.capabilities),
  };
}

async function discover(peer: RpcConnection, revision: string, ms: number): Promise<ServerInfo> {
  const result = await call(peer, "server/discover", { _meta: modernMeta(revision) }, ms);
  const meta = isObject(result._meta) ? result._meta : {};
  return {
    ...readInfo(meta[`${META}serverInfo`]),
    revision,
    ...readCapabilities(result.capabilities),
  };
}

/**
 * Lists what a server offers, as fixtures: `tool:x`, `resource:uri`, `prompt:x`.
 *
 * @param peer the kit's end of the wire
 * @param info what the server said of itself
 * @param ms how long each answer may take
 */
export async function listFixtures(
  peer: RpcConnection,
  { capabilities, revision }: ServerInfo,
  ms: number,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const each of LISTS) {
    if (!capabilities.has(each.capability)) continue;
    const names = listNames(peer, each, revision, ms);
    // A server of resources need not know templates of them.
    const isOptional = each.kind === "template";
    for (const name of await (isOptional ? names.catch(() => []) : names)) found.add(name);
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

/** A server may page without end; the fixtures of cases are among the first. */
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
 * Makes sure that the server tells requests apart: one that answers all of them alike would pass whatever that answer fits.
 *
 * @throws {CaseEnd} when three requests that have nothing in common get the same answer
 */
export async function assertDistinctResponses(
  peer: RpcConnection,
  { revision }: ServerInfo,
  ms: number,
): Promise<void> {
  const isModern = isModernVersion(revision);
  const params: JsonObject = isModern ? { _meta: modernMeta(revision) } : {};
  const methods = [isModern ? "server/discover" : "ping", "parley-kit/unknown", "tools/call"];
  const answers: string[] = [];
  for (const method of methods) {
    const request = { jsonrpc: "2.0", id: `open ${method}`, method, params };
    const answer: RpcMessage | symbol = await waitFor(peer.request(request), ms);
    // A server that stays silent here is told so by the cases.
    if (!isObject(answer)) return;
    answers.push(show({ ...answer, id: null }, 10_000));
  }
  if (new Set(answers).size > 1) return;
  throw failCase({
    expected: "different responses to different requests",
    got: `the same response to ${methods.join(", ")}`,
  });
}

async function call(
  peer: RpcConnection,
  method: string,
  params: JsonValue,
  ms: number,
): Promise<Readonly<Record<string, unknown>>> {
  const request = { jsonrpc: "2.0", id: `open ${method}`, method, params };
  const answer: RpcMessage | symbol = await waitFor(peer.request(request), ms);
  if (isObject(answer) && isObject(answer.result)) return answer.result;
  throw failCase({
    sent: show(request),
    expected: `a result within ${Math.round(ms)} ms`,
    got: isObject(answer) ? show(answer) : "nothing",
  });
}

function readInfo(value: unknown): { readonly name: string; readonly version: string } {
  const { name, version } = isObject(value) ? value : {};
  return {
    name: typeof name === "string" ? name : "unnamed server",
    version: typeof version === "string" ? version : "0",
  };
}

/** The capabilities, such as `resources`, what is true in them, such as `resources.subscribe`, and the extensions. */
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
