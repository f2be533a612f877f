/**
 * Points on which the sources of the message schemas disagree. A JSON file accompanies the
 * TypeScript schema of each MCP version; the specification names the TypeScript schema as the
 * source of truth and states further rules in prose.
 *
 * @module
 */

import type { Sender } from "./methods.ts";
import type { MessageVersion } from "./versions.ts";

/** A statement of one source. */
export interface Statement {
  /** The statement in short. */
  readonly says: string;
  /** URL of the statement. */
  readonly source: string;
}

/** A point on which two sources disagree, and the decision of the kit. */
export interface Conflict {
  readonly name: string;
  /** The first and the last version in which the example shows the conflict. */
  readonly versions: readonly [MessageVersion, MessageVersion];
  /** The statements of the stricter and of the more tolerant source. */
  readonly stricter: Statement;
  readonly looser: Statement;
  /** Whether the kit follows the tolerant source. */
  readonly isAllowed: boolean;
  readonly reason: string;
  /** A message that only the tolerant source allows. */
  readonly example: {
    readonly from: Sender;
    readonly method?: string;
    readonly message: Readonly<Record<string, unknown>>;
  };
}

const JSON_RPC = "https://www.jsonrpc.org/specification#response_object";
const ALL = ["2024-11-05", "2026-07-28"] as const;

/** All known conflicts. */
export const CONFLICTS: readonly Conflict[] = [
  {
    name: "error without a known id",
    versions: ALL,
    stricter: {
      says: "the id of an error is a string or an integer",
      source: "https://modelcontextprotocol.io/specification/2025-11-25/basic#error-responses",
    },
    looser: { says: "the id is null if the id of the request is unknown", source: JSON_RPC },
    isAllowed: true,
    reason: "MCP messages must follow JSON-RPC 2.0",
    example: {
      from: "server",
      message: { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } },
    },
  },
  {
    name: "fraction in the response to a form",
    versions: ["2025-06-18", "2025-11-25"],
    stricter: { says: "numbers in the content are integers", source: jsonSchema("2025-11-25") },
    looser: { says: "the content has numbers", source: schema("2025-11-25", "elicitresult") },
    isAllowed: true,
    reason: "forms have fields of the type number",
    example: {
      from: "client",
      method: "elicitation/create",
      message: result({ action: "accept", content: { height: 1.7 } }),
    },
  },
  {
    name: "numbers and null in JSON objects",
    versions: ["2026-07-28", "2026-07-28"],
    stricter: {
      says: "JSON values are strings, integers, booleans, objects and arrays",
      source: jsonSchema("2026-07-28"),
    },
    looser: {
      says: "JSON values also are fractions and null",
      source: schema("2026-07-28", "jsonvalue"),
    },
    isAllowed: true,
    reason: "the TypeScript schema is the source of truth, and RFC 8259 has these values",
    example: {
      from: "server",
      method: "server/discover",
      message: result({
        ttlMs: 0,
        cacheScope: "public",
        supportedVersions: ["2026-07-28"],
        capabilities: { extensions: { "com.example/a": { ratio: 0.5, limit: null } } },
      }),
    },
  },
  {
    name: "fraction as an id",
    versions: ALL,
    stricter: {
      says: "the id of a request is a string or an integer",
      source: "https://modelcontextprotocol.io/specification/2025-11-25/basic#requests",
    },
    looser: { says: "an id is a string or a number", source: schema("2025-11-25", "requestid") },
    isAllowed: false,
    reason: "the prose says MUST, and the JSON schema agrees with it",
    example: {
      from: "client",
      message: { jsonrpc: "2.0", id: 1.5, method: "vendor/call" },
    },
  },
  {
    name: "response with a result and an error",
    versions: ALL,
    stricter: { says: "a response has either a result or an error", source: JSON_RPC },
    looser: {
      says: "responses can have other members",
      source: schema("2025-11-25", "jsonrpcerrorresponse"),
    },
    isAllowed: false,
    reason: "MCP messages must follow JSON-RPC 2.0",
    example: {
      from: "server",
      message: { jsonrpc: "2.0", id: 1, result: {}, error: { code: -1, message: "No" } },
    },
  },
  {
    name: "more than 100 completion values",
    versions: ["2024-11-05", "2025-11-25"],
    stricter: {
      says: "a response has at most 100 values",
      source:
        "https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion#completion-results",
    },
    looser: { says: "the list has no limit", source: jsonSchema("2025-11-25") },
    isAllowed: false,
    reason: "the JSON schema of 2026-07-28 has the limit, and the prose of all versions",
    example: {
      from: "server",
      method: "completion/complete",
      message: result({ completion: { values: Array.from({ length: 101 }, () => "a") } }),
    },
  },
  {
    name: "request for input that asks for nothing",
    versions: ["2026-07-28", "2026-07-28"],
    stricter: {
      says: "the result has input requests or a request state",
      source:
        "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow",
    },
    looser: {
      says: "both members are optional",
      source: schema("2026-07-28", "inputrequiredresult"),
    },
    isAllowed: false,
    reason: "the prose says MUST",
    example: {
      from: "server",
      method: "tools/call",
      message: result({ resultType: "input_required" }),
    },
  },
  {
    name: "request for input in other results",
    versions: ["2026-07-28", "2026-07-28"],
    stricter: {
      says: "only tools/call, prompts/get and resources/read ask for input",
      source:
        "https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#supported-requests",
    },
    looser: {
      says: "all results have a result type",
      source: schema("2026-07-28", "inputrequiredresult"),
    },
    isAllowed: false,
    reason: "the prose says MUST NOT",
    example: {
      from: "server",
      method: "tools/list",
      message: result({ resultType: "input_required", requestState: "a" }),
    },
  },
  {
    name: "wrong options of a field in a form",
    versions: ["2025-06-18", "2025-11-25"],
    stricter: {
      says: "the options of a field are strings",
      source: "https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation",
    },
    looser: {
      says: "a field with other options is a text field with unknown members",
      source: schema("2025-11-25", "primitiveschemadefinition"),
    },
    isAllowed: false,
    reason: "a client cannot show such options",
    example: {
      from: "server",
      method: "elicitation/create",
      message: {
        jsonrpc: "2.0",
        id: 1,
        method: "elicitation/create",
        params: {
          message: "Which?",
          requestedSchema: { type: "object", properties: { a: { type: "string", enum: [1] } } },
        },
      },
    },
  },
  {
    name: "boolean as the schema of an argument",
    versions: ["2024-11-05", "2025-11-25"],
    stricter: {
      says: "the schemas of arguments are objects",
      source: schema("2025-11-25", "tool"),
    },
    looser: {
      says: "true and false are schemas",
      source: "https://json-schema.org/draft/2020-12/json-schema-core#section-4.3.2",
    },
    isAllowed: false,
    reason: "MCP restricts JSON Schema here, and clients of these versions reject the whole list",
    example: {
      from: "server",
      method: "tools/list",
      message: result({
        tools: [{ name: "a", inputSchema: { type: "object", properties: { any: true } } }],
      }),
    },
  },
  {
    name: "invalid URI",
    versions: ALL,
    stricter: {
      says: "the format is a URI",
      source: schema("2025-11-25", "resource"),
    },
    looser: {
      says: "a format is an annotation",
      source: "https://json-schema.org/draft/2020-12/json-schema-validation#section-7.2.1",
    },
    isAllowed: true,
    reason: "only the scheme is required, without which a client cannot choose the server",
    example: {
      from: "client",
      method: "resources/read",
      message: {
        jsonrpc: "2.0",
        id: 1,
        method: "resources/read",
        params: {
          uri: "file:///a b",
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      },
    },
  },
];

function schema(version: MessageVersion, anchor: string): string {
  return `https://modelcontextprotocol.io/specification/${version}/schema#${anchor}`;
}

function jsonSchema(version: MessageVersion): string {
  const repository = "https://github.com/modelcontextprotocol/modelcontextprotocol";
  return `${repository}/blob/main/schema/${version}/schema.json`;
}

function result(value: object): Readonly<Record<string, unknown>> {
  return { jsonrpc: "2.0", id: 1, result: { resultType: "complete", ...value } };
}
