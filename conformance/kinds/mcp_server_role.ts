/**
 * The kit acting as the server for an MCP client under test.
 *
 * @module
 */

import type { JsonObject } from "../kit/json.ts";
import type { RpcConnection, RpcMessage } from "../subject/rpc_connection.ts";
import { declareExtensions, isModernVersion } from "./open_session.ts";

const SERVER: JsonObject = { name: "parley-kit", version: "1" };
const CAPABILITIES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

/**
 * Creates a function that responds to the messages that open a session and hides them from the
 * steps.
 *
 * @param peer The kit's end of the connection.
 * @param revision The protocol version.
 * @param extensions Ids of the extensions to declare.
 * @returns A function that returns true if it has handled a message.
 */
export function respondToInitialization(
  peer: RpcConnection,
  revision: string,
  extensions: readonly string[] = [],
): (message: RpcMessage) => boolean {
  const isModern = isModernVersion(revision);
  return ({ method, id }) => {
    if (method === "notifications/initialized") return true;
    if (method !== "initialize" && method !== "server/discover") return false;
    const isKnown = isModern === (method === "server/discover");
    peer.send({
      jsonrpc: "2.0",
      id: toId(id),
      ...(isKnown ? { result: open(isModern, revision, extensions) } : UNKNOWN),
    });
    return true;
  };
}

/**
 * Creates a function that responds to `tools/list` and hides the request from the steps, because a
 * client may read the definition of a tool before or after it calls the tool.
 *
 * @param peer The kit's end of the connection.
 * @param revision The protocol version.
 * @param names Names of the tools.
 * @returns A function that returns true if it has handled a message.
 */
export function respondToToolsList(
  peer: RpcConnection,
  revision: string,
  names: readonly string[],
): (message: RpcMessage) => boolean {
  const tools = names.map((name) => ({ name, description: "", inputSchema: { type: "object" } }));
  const result = isModernVersion(revision)
    ? { resultType: "complete", tools, ttlMs: 0, cacheScope: "private" }
    : { tools };
  return ({ method, id }) => {
    if (method !== "tools/list") return false;
    peer.send({ jsonrpc: "2.0", id: toId(id), result });
    return true;
  };
}

const UNKNOWN: JsonObject = { error: { code: -32601, message: "Method not found" } };

function open(isModern: boolean, revision: string, extensions: readonly string[]): JsonObject {
  if (!isModern) {
    return { protocolVersion: revision, capabilities: CAPABILITIES, serverInfo: SERVER };
  }
  return {
    resultType: "complete",
    supportedVersions: [revision],
    capabilities: extensions.length === 0
      ? CAPABILITIES
      : { ...CAPABILITIES, ...declareExtensions(extensions) },
    ttlMs: 0,
    cacheScope: "private",
    _meta: { "io.modelcontextprotocol/serverInfo": SERVER },
  };
}

function toId(id: unknown): string | number | null {
  return typeof id === "string" || typeof id === "number" ? id : null;
}
