/**
 * Cost of `tools/list` with many tools, in this process.
 *
 * @module
 */

import { mcpHandler, McpServer } from "@parley/mcp/server";
import type { Contender } from "../measure.ts";
import { callHeaders, INFO, JSON_SCHEMA, listText, toolNames } from "./tool.ts";

/** Names of the contenders, as shown in the tables. */
export const ListSubject = {
  Parley: "@parley/mcp",
  Stringify: "JSON.stringify of the response",
} as const;

const TOOLS = 1000;

/**
 * Creates the contenders: a handler that lists 1,000 tools, with all checks of a request, and the
 * serialization of its response, which a server that keeps nothing performs for each request.
 */
export async function listContenders(): Promise<Contender[]> {
  const server = new McpServer({ ...INFO, pageSize: TOOLS });
  for (const name of toolNames(TOOLS)) {
    server.registerTool({ name, description: "Adds", inputSchema: JSON_SCHEMA }, () => "");
  }
  const { respond } = mcpHandler(server);
  const list = async (): Promise<string> => {
    const { body } = await respond(listRequest());
    if (typeof body !== "string") throw new Error("Cannot measure: the response is a stream");
    return body;
  };
  const response: { readonly result: { readonly tools: readonly unknown[] } } = JSON.parse(
    await list(),
  );
  if (response.result.tools.length !== TOOLS) throw new Error("Cannot measure: wrong list");
  return [
    { name: ListSubject.Parley, run: list },
    { name: ListSubject.Stringify, run: () => JSON.stringify(response) },
  ];
}

function listRequest(): Request {
  const { "mcp-name": _name, ...headers } = callHeaders("2026-07-28");
  const body = listText();
  return new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: { ...headers, "mcp-method": "tools/list", "content-length": String(body.length) },
    body,
  });
}
