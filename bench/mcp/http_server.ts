/**
 * HTTP servers with the same tool, each built as shown in its documentation.
 *
 * @module
 */

import type { McpServer } from "@parley/mcp/server";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import process from "node:process";
import { type Fetch, loadPeer, type NodeListener, type Sum } from "./peers.ts";
import type { Commands } from "./child_protocol.ts";
import { handMadeFetch, handMadeListener } from "./hand_made.ts";
import { add, addLater, INFO, JSON_SCHEMA, SILENT, toolNames, zodSchema } from "./tool.ts";

/** Starts a server on the platform's HTTP server. Returns the server's port. */
type Start = (tools: number) => Promise<number>;

const IS_DENO = "Deno" in globalThis;

const SUBJECTS: Readonly<Record<string, Start>> = {
  floor: () => IS_DENO ? serveFetch(echoRequest) : serveNode(echoNode),
  "hand-made": () => serveHandMade(add),
  "hand-made-async": () => serveHandMade(addLater),
  parley: (tools) => serveZod(add, tools),
  "parley-async": (tools) => serveZod(addLater, tools),
  "parley-json-schema": (tools) =>
    serveParley((server, name) => {
      server.registerTool({ name, description: "Adds", inputSchema: JSON_SCHEMA }, add);
    }, tools),
  "mcp-lite": serveLite,
  fastmcp: serveFastMcp,
  "mcp-use": serveMcpUse,
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

function serveNode(listener: (i: IncomingMessage, o: ServerResponse) => unknown): Promise<number> {
  return listen(createServer(listener));
}

/** Listens on a free port. Returns the port. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("Cannot listen");
  return address.port;
}

/** Returns a free port, for servers that do not report the port that the system assigns to them. */
async function findFreePort(): Promise<number> {
  const server: Server = createServer();
  const port = await listen(server);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
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

async function serveHandMade(tool: typeof add | typeof addLater): Promise<number> {
  const schema = await zodSchema();
  return IS_DENO
    ? await serveFetch(handMadeFetch(schema, tool))
    : await serveNode(handMadeListener(schema, tool));
}

// Servers built with this repository's package

async function serveZod(tool: typeof add | typeof addLater, tools: number): Promise<number> {
  const inputSchema = await zodSchema();
  return await serveParley((server, name) => {
    server.registerTool({ name, description: "Adds", inputSchema }, tool);
  }, tools);
}

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

/** fastmcp has one class for `node:http` and another for runtimes with a `fetch` handler. */
async function serveFastMcp(tools: number): Promise<number> {
  const parameters = await zodSchema();
  const tool = (name: string) => ({
    name,
    description: "Adds",
    parameters,
    execute: (sum: Sum) => Promise.resolve(add(sum)),
  });
  if (IS_DENO) {
    const { EdgeFastMCP } = await loadPeer("fastmcp/edge");
    const server = new EdgeFastMCP(INFO);
    for (const name of toolNames(tools)) server.addTool(tool(name));
    return await serveFetch((request) => server.fetch(request));
  }
  const { FastMCP } = await loadPeer("fastmcp");
  const server = new FastMCP({ ...INFO, logger: SILENT });
  for (const name of toolNames(tools)) server.addTool(tool(name));
  const port = await findFreePort();
  await server.start({
    transportType: "httpStream",
    httpStream: { port, host: "127.0.0.1", stateless: true, enableJsonResponse: true },
  });
  return port;
}

async function serveMcpUse(tools: number): Promise<number> {
  // By default, mcp-use sends usage statistics.
  process.env.MCP_USE_ANONYMIZED_TELEMETRY = "false";
  const { MCPServer } = await loadPeer("mcp-use");
  const inputSchema = await zodSchema();
  const server = new MCPServer({ ...INFO, logging: { enabled: false } });
  for (const name of toolNames(tools)) {
    server.tool({ name, description: "Adds", inputSchema }, (sum) => Promise.resolve(add(sum)));
  }
  if (IS_DENO) return await serveFetch((request) => server.fetch(request));
  const port = await findFreePort();
  await server.listen(port, { host: "127.0.0.1" });
  return port;
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
