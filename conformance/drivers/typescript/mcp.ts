/**
 * `mcp` operations, implemented with `@parley/mcp`.
 *
 * @module
 */

import { generatePkceChallenge, McpError, type McpRequest } from "@parley/mcp";
import { createEverythingServer } from "./everything.ts";
import { AUTH_FEATURES, AUTH_OPS } from "./mcp_auth.ts";
import { CLIENT_FEATURES, createClientOps, type SpawnServer } from "./mcp_client.ts";
import { SERVER_OPS } from "./mcp_server.ts";
import { BadArgs, type Fields, fieldsOf, type Operation, textOf } from "./operation.ts";

/** Creates the operations, keyed by name. `spawnServer` is omitted on platforms without processes. */
export function createMcpOps(spawnServer?: SpawnServer): Readonly<Record<string, Operation>> {
  return { ...PURE_OPS, ...SERVER_OPS, ...createClientOps(spawnServer), ...AUTH_OPS };
}

const PURE_OPS: Readonly<Record<string, Operation>> = {
  "mcp.server.handle": async ({ args }) => ({
    // The request is passed unvalidated, because cases test malformed requests.
    response: await (await createEverythingServer())
      .handleRequest(fieldsOf(args, "request") as unknown as McpRequest),
  }),
  "mcp.pkce.generate": async () => ({ ...await generatePkceChallenge() }),
  "mcp.error.make": ({ args }) => {
    const { code, message } = makeError(args);
    return { code, message };
  },
};

/**
 * Functions that create the library's seven kinds of errors. Each function accepts the arguments of the error's
 * constructor as an array.
 */
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
  if (make === undefined || !Array.isArray(args.args)) {
    throw new BadArgs('"constructor" must be a known name and "args" an array');
  }
  return make(args.args.map(String));
}

/** Supported `mcp` features. */
export const MCP_FEATURES: Readonly<Record<string, boolean>> = {
  ...CLIENT_FEATURES,
  ...AUTH_FEATURES,
};
