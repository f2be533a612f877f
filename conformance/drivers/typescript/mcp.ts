/**
 * `mcp` operations, implemented with `@parley/mcp`.
 *
 * @module
 */

import { generatePkceChallenge, McpError, McpErrorCode, type McpRequest } from "@parley/mcp";
import type { LibraryPart } from "./assemble_program.ts";
import { createEverythingServer } from "./everything.ts";
import { AUTH_FEATURES, AUTH_OPS } from "./mcp_auth.ts";
import { CLIENT_FEATURES, createClientOps } from "./mcp_client.ts";
import type { ClientPlatform } from "./mcp_connection.ts";
import { createServerOps, SERVER_FEATURES } from "./mcp_server.ts";
import type { FetchThroughNode } from "./node_listener.ts";
import { BadArgs, type Fields, fieldsOf, type Operation, textOf } from "./operation.ts";

/** Functions and values that only some platforms have. */
export interface McpPlatform extends ClientPlatform {
  /** Sends requests through the listener for `node:http`. */
  readonly fetchThroughNode?: FetchThroughNode;
}

/** Creates the operations and features of the driver for `@parley/mcp`. */
export function createMcpPart(platform: McpPlatform): LibraryPart {
  return {
    ops: {
      ...PURE_OPS,
      ...createServerOps(platform.fetchThroughNode),
      ...createClientOps(platform),
      ...AUTH_OPS,
    },
    features: listFeatures(platform),
    transports: platform.spawnServer === undefined ? ["http"] : ["stdio", "http"],
  };
}

const PURE_OPS: Readonly<Record<string, Operation>> = {
  "mcp.server.handle": async ({ args }) => ({
    // The request is passed unvalidated, because cases test malformed requests.
    response: await (await createEverythingServer())
      .handleRequest(fieldsOf(args, "request") as unknown as McpRequest),
  }),
  "mcp.pkce.generate": async () => ({ ...await generatePkceChallenge() }),
  "mcp.error.make": ({ args }) => {
    const error = makeError(args);
    const { code, message, details } = error;
    const codes = Object.values(McpErrorCode);
    return {
      code,
      message,
      details,
      is: Object.fromEntries(codes.map((each) => [each, error.is(each)])),
    };
  },
};

/**
 * Functions that create the library's seven kinds of errors. Each function accepts the arguments of
 * the error's constructor as an array.
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

function listFeatures({ fetchThroughNode }: McpPlatform): Record<string, boolean> {
  return {
    ...CLIENT_FEATURES,
    ...SERVER_FEATURES,
    ...AUTH_FEATURES,
    "mcp.error.details": true,
    "mcp.server.framework": fetchThroughNode !== undefined,
  };
}
