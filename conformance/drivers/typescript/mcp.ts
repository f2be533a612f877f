/**
 * The operations of mcp on `@parley/mcp`.
 *
 * @module
 */

import { McpClient, type McpClientConfig, McpError, type McpRequest } from "@parley/mcp";
import { spawnServer } from "@parley/mcp/process";
import { createEverythingServer } from "./everything.ts";
import { BadArgs, type Fields, fieldsOf, isFields, type Op, type OpCall, textOf } from "./op.ts";

/** The operations by name. */
export const MCP_OPS: Readonly<Record<string, Op>> = {
  "mcp.server.handle": async ({ args }) => ({
    // A case may want to see a malformed request answered.
    response: await createEverythingServer()
      .handleRequest(fieldsOf(args, "request") as unknown as McpRequest),
  }),
  "mcp.client.connect": async ({ args, handles, signal }) => {
    const client = new McpClient({ transport: toTransport(fieldsOf(args, "transport")) });
    await client.connect({ signal });
    return { handle: handles.add(client, () => client.disconnect()) };
  },
  "mcp.client.capabilities": (call) => ({ ...clientOf(call).capabilities() }),
  "mcp.client.listTools": async (call) => ({ items: await clientOf(call).listTools(call) }),
  "mcp.client.listResources": async (call) => ({ items: await clientOf(call).listResources(call) }),
  "mcp.client.listPrompts": async (call) => ({ items: await clientOf(call).listPrompts(call) }),
  "mcp.client.callTool": async (call) => {
    const { args, signal } = call;
    const name = textOf(args, "name");
    return { result: await clientOf(call).callTool(name, fieldsOf(args, "arguments"), { signal }) };
  },
  "mcp.client.getResource": async (call) => {
    const { args, signal } = call;
    return { result: await clientOf(call).getResource(textOf(args, "uri"), { signal }) };
  },
  "mcp.client.getPrompt": async (call) => {
    const { args, signal } = call;
    const values = Object.entries(fieldsOf(args, "arguments"))
      .map(([name, value]) => [name, String(value)]);
    const name = textOf(args, "name");
    return {
      result: await clientOf(call).getPrompt(name, Object.fromEntries(values), { signal }),
    };
  },
  "mcp.client.disconnect": async (call) => await clientOf(call).disconnect(),
  "mcp.client.state": (call) => ({ connected: clientOf(call).connected }),
  "mcp.error.make": ({ args }) => {
    const { code, message } = makeError(args);
    return { code, message };
  },
};

/** The seven constructors, called with a list. */
const CONSTRUCTORS: Readonly<Record<string, (args: readonly string[]) => McpError>> = {
  connectionFailed: ([url = "", reason = ""]) => McpError.connectionFailed(url, reason),
  transportError: ([transport = "", reason = ""]) => McpError.transportError(transport, reason),
  protocolError: ([reason = ""]) => McpError.protocolError(reason),
  toolNotFound: ([name = ""]) => McpError.toolNotFound(name),
  serializationError: ([reason = ""]) => McpError.serializationError(reason),
  authError: ([reason = ""]) => McpError.authError(reason),
  core: ([reason = ""]) => McpError.core(reason),
};

function makeError(args: Fields): McpError {
  const make = CONSTRUCTORS[textOf(args, "constructor")];
  if (make === undefined || !Array.isArray(args.args)) throw new BadArgs("no such constructor");
  return make(args.args.map(String));
}

/** What mcp can do beyond its operations. */
export const MCP_FEATURES: Readonly<Record<string, boolean>> = { "mcp.client.dualEra": true };

function toTransport(config: Fields): McpClientConfig["transport"] {
  const { type, url, command, args } = config;
  if (type === "http" && typeof url === "string") return { type, url };
  if (type !== "stdio" || typeof command !== "string" || !Array.isArray(args)) {
    throw new BadArgs(`no transport ${JSON.stringify(config)}`);
  }
  return spawnServer(command, args.map(String));
}

function clientOf({ on }: OpCall): McpClient {
  if (isFields(on) && on instanceof McpClient) return on;
  throw new BadArgs("the handle is no client");
}
