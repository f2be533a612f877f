/**
 * The operations of mcp on `@parley/mcp`.
 *
 * @module
 */

import { generatePkceChallenge, McpError, type McpRequest } from "@parley/mcp";
import { createEverythingServer } from "./everything.ts";
import { AUTH_OPS } from "./mcp_auth.ts";
import { CLIENT_FEATURES, createClientOps, type SpawnServer } from "./mcp_client.ts";
import { BadArgs, type Fields, fieldsOf, type Operation, textOf } from "./operation.ts";

/** Makes the operations, by name; where processes cannot be started there is no `spawnServer`. */
export function createMcpOps(spawnServer?: SpawnServer): Readonly<Record<string, Operation>> {
  return { ...PURE_OPS, ...createClientOps(spawnServer), ...AUTH_OPS };
}

const PURE_OPS: Readonly<Record<string, Operation>> = {
  "mcp.server.handle": async ({ args }) => ({
    // A case may want to see a malformed request answered.
    response: await createEverythingServer()
      .handleRequest(fieldsOf(args, "request") as unknown as McpRequest),
  }),
  "mcp.pkce.generate": async () => ({ ...await generatePkceChallenge() }),
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
export const MCP_FEATURES: Readonly<Record<string, boolean>> = CLIENT_FEATURES;
