/**
 * HTTP servers with the same tool, each built as shown in its documentation.
 *
 * @module
 */

import type { McpServer } from "@parley/mcp/server";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Fetch, loadPeer, type NodeListener } from "./peers.ts";
import type { Commands } from "./child_protocol.ts";
import { add, INFO, JSON_SCHEMA, toolNames, zodSchema } from "./tool.ts";

/** Starts a server on the platform's HTTP server. Returns the server's port. */
type Start = (tools: number) => Promise<number>;

const IS_DENO = "Deno" in globalThis;

const SUBJECTS: Readonly<Record<string, Start>> = {
  floor: () => IS_DENO ? serveFetch(echoRequest) : serveNode(echoNode),
  parley: async (tools) => {
    const inputSchema = await zodSchema();
    const register = (server: McpServer, name: string): void =>
      server.registerTool({ name, description: "Adds", inputSchema }, add);
    return await serveParley(register, tools);
  },
  "parley-json-schema": (tools) =>
    serveParley((server, name) => {
      server.registerTool({ name, description: "Adds", inputSchema: JSON_SCHEMA }, add);
    }, tools),
  "mcp-lite": serveLite,
  "sdk-v1": serveV1,
  "sdk-v2": serveV2,
};

/** Starts a server and returns its commands. */
export async function serveHttp(subject: string, tools: number): Promise<Commands> {
  const start = SUBJECTS[subject];
  if (start === undefined) throw new RangeError(`Unknown server "${subject}"`);
  const port = await start(tools);
  return { port: () => port };
}

function serveFetch(handler: Fetch): Promise<number> {
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  return Promise.resolve(Deno.serve(options, (request) => handler(request)).addr.port);
}

async function serveNode(listener: (i: IncomingMessage, o: ServerResponse) => unknown) {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("Cannot listen");
  return address.port;
}

/** Serves a `node:http` listener that comes from a package without type declarations. */
function serveThirdParty(listener: NodeListener): Promise<number> {
  return serveNode((incoming, outgoing) => listener(incoming as never, outgoing as never));
}

// The bare echo server does the minimum that a JSON-RPC server must do.

function echo(text: string): string {
  const { id, params } = JSON.parse(text);
  return JSON.stringify({ jsonrpc: "2.0", id, result: add(params.arguments) });
}

async function echoRequest(request: Request): Promise<Response> {
  const text = echo(await request.text());
  return new Response(text, { headers: { "content-type": "application/json" } });
}

function echoNode(incoming: IncomingMessage, outgoing: ServerResponse): void {
  let text = "";
  incoming.setEncoding("utf8");
  incoming.on("data", (chunk) => text += chunk);
  incoming.on("end", () => {
    const body = echo(text);
    outgoing.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    outgoing.end(body);
  });
}

// Servers built with this repository's package

/** Starts a server with this repository's package. Returns the server's port. */
export async function serveParley(
  register: (server: McpServer, name: string) => void,
  tools: number,
): Promise<number> {
  const { mcpHandler, McpServer } = await import("@parley/mcp/server");
  const server = new McpServer(INFO);
  for (const name of toolNames(tools)) register(server, name);
  const handler = mcpHandler(server);
  if (IS_DENO) return await serveFetch(handler);
  const { toNodeListener } = await import("@parley/mcp/node");
  return await serveNode(toNodeListener(handler));
}

// Servers built with third-party packages

async function serveLite(tools: number): Promise<number> {
  const { McpServer, StreamableHttpTransport } = await loadPeer("mcp-lite");
  const zod = await loadPeer("zod");
  const inputSchema = await zodSchema();
  const toJsonSchema = (schema: unknown): unknown => zod.toJSONSchema(schema);
  const server = new McpServer({ ...INFO, schemaAdapter: toJsonSchema });
  for (const name of toolNames(tools)) server.tool(name, { inputSchema, handler: add });
  const handler = new StreamableHttpTransport().bind(server);
  if (IS_DENO) return await serveFetch(handler);
  const { getRequestListener } = await loadPeer("@hono/node-server");
  return await serveThirdParty(getRequestListener(handler));
}

/** Creates a server and a transport for each request, as required without sessions. */
async function serveV1(tools: number): Promise<number> {
  const { McpServer } = await loadPeer("@modelcontextprotocol/sdk/server/mcp.js");
  const zod = await loadPeer("zod");
  const inputSchema = { a: zod.number(), b: zod.number() };
  const create = () => {
    const server = new McpServer(INFO);
    for (const name of toolNames(tools)) server.registerTool(name, { inputSchema }, add);
    return server;
  };
  const options = { sessionIdGenerator: undefined, enableJsonResponse: true };
  if (IS_DENO) {
    const { WebStandardStreamableHTTPServerTransport: Transport } = await loadPeer(
      "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js",
    );
    return await serveFetch(async (request) => {
      const transport = new Transport(options);
      await create().connect(transport);
      return await transport.handleRequest(request);
    });
  }
  const { StreamableHTTPServerTransport: Transport } = await loadPeer(
    "@modelcontextprotocol/sdk/server/streamableHttp.js",
  );
  return await serveNode(async (incoming, outgoing) => {
    const transport = new Transport(options);
    outgoing.on("close", () => transport.close());
    await create().connect(transport);
    await transport.handleRequest(incoming, outgoing);
  });
}

async function serveV2(tools: number): Promise<number> {
  const { createMcpHandler, McpServer } = await loadPeer("@modelcontextprotocol/server");
  const inputSchema = await zodSchema();
  const handler = createMcpHandler(() => {
    const server = new McpServer(INFO);
    for (const name of toolNames(tools)) server.registerTool(name, { inputSchema }, add);
    return server;
  });
  if (IS_DENO) return await serveFetch((request) => handler.fetch(request));
  const { toNodeHandler } = await loadPeer("@modelcontextprotocol/node");
  return await serveThirdParty(toNodeHandler(handler));
}
