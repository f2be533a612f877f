import type { McpClient } from "../client.ts";
import { McpServer, type Principal } from "../server.ts";
import type { JsonObject } from "../shared/json.ts";
import { clientOf } from "./gateway.ts";

/** The principal that can see all items. */
export const ANN: Principal = { subject: "ann" };
/** A principal that cannot see the hidden items. */
export const BOB: Principal = { subject: "bob" };

/** A server with public items and with items that only Ann can see. */
export function annsServer(): McpServer {
  const server = new McpServer({ name: "s", version: "1" });
  const complete = { complete: { x: () => ["value"] } };
  server.registerResource({ uri: "s:///public", name: "p" }, () => "public");
  server.registerResource({ uri: "s:///listed-secret", name: "l" }, () => "secret");
  server.registerResource({ uri: "secret:///listed", name: "l" }, () => "secret");
  server.registerResourceTemplate({ uriTemplate: "s:///{+path}", name: "all" }, () => "any");
  const template = { uriTemplate: "secret:///{x}", name: "t" };
  server.registerResourceTemplate(template, () => "secret", complete);
  server.registerTool({ name: "secret", description: "" }, () => "secret");
  server.registerPrompt(
    { name: "secret", arguments: [{ name: "x", required: false }] },
    () => "secret",
    complete,
  );
  return server;
}

/** The client of a server that also serves URIs that it compares without regard to case. */
export function lenientClient(): McpClient {
  const client = clientOf(annsServer());
  const relay = client.relay.bind(client);
  client.relay = async (method, params, options) => {
    const uri = String(params.uri);
    if (method !== "resources/read" || uri.startsWith("unknown:")) {
      return await relay(method, params, options);
    }
    return { contents: [{ uri, text: `read ${uri}` }] };
  };
  return client;
}

const HIDDEN = ["secret:///{x}", "s:///listed-secret", "secret", "s_secret"];

/** Returns `true` if a principal must not see the item with a name on the server. */
export function isHidden(name: string, principal: Principal | undefined): boolean {
  return HIDDEN.includes(name) && principal?.subject !== "ann";
}

/** Sends a request of a principal. Returns the result or the error. */
export type Send = (
  principal: Principal,
  method: string,
  params: JsonObject,
) => Promise<JsonObject>;

/** Returns a function that sends requests to a server without a transport. */
export function senderTo(server: McpServer): Send {
  const client = { protocolVersion: "2026-07-28", capabilities: {} };
  return async (principal, method, params) => {
    const { signal } = new AbortController();
    const request = { jsonrpc: "2.0" as const, id: 1, method, params };
    const response = await server.exchange(request, { client, signal, principal });
    return "result" in response ? response.result : { ...response.error };
  };
}
