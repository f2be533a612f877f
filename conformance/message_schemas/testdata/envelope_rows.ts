/**
 * JSON-RPC: requests, notifications, results and errors of any method.
 *
 * @module
 */

import {
  at,
  type Change,
  CLIENT_CAPABILITIES,
  CLIENT_CAPABILITY_CHANGES,
  from,
  type MessageRow,
  MISSING,
  PROGRAM_CHANGES,
} from "./message_row.ts";

const MODERN = ["2026-07-28", "2026-07-28"] as const;
const LAST_LEGACY = ["2025-11-25", "2025-11-25"] as const;

const VERSION_CHANGES: readonly Change[] = [
  ["jsonrpc", MISSING],
  ["jsonrpc", "1.0"],
  ["jsonrpc", 2],
];

const ID_CHANGES: readonly Change[] = [
  ["id", null],
  ["id", true],
  ["id", 1.5],
  ["id", {}],
];

const META = "params._meta";
function key(name: string): string {
  return `${META}["io.modelcontextprotocol/${name}"]`;
}

/** The changes of the metadata of every request. */
const REQUEST_META_CHANGES: readonly Change[] = [
  [META, []],
  [`${META}.progressToken`, true],
  [`${META}.progressToken`, 1.5],
  ...from("2026-07-28", [
    [META, MISSING],
    [key("protocolVersion"), MISSING],
    [key("protocolVersion"), 20260728],
    [key("clientCapabilities"), MISSING],
    [key("clientCapabilities"), true],
    ...at(key("clientCapabilities"), CLIENT_CAPABILITY_CHANGES),
    [key("clientInfo"), "program"],
    ...at(key("clientInfo"), PROGRAM_CHANGES),
    [key("logLevel"), "loud"],
  ]),
];

/** The changes that make every message of the same kind invalid. */
export function commonChanges({ message }: MessageRow): readonly Change[] {
  if ("method" in message) {
    const common: readonly Change[] = [...VERSION_CHANGES, ["params", []], ["method", 1]];
    const { params } = message;
    if ("id" in message) {
      return [...common, ...ID_CHANGES, ...(hasMetadata(params) ? REQUEST_META_CHANGES : [])];
    }
    return [...common, ...(hasMetadata(params) ? NOTIFICATION_CHANGES : [])];
  }
  if ("error" in message) return ERROR_CHANGES;
  return [...RESULT_CHANGES, ...(hasMetadata(message.result) ? SERVER_CHANGES : [])];
}

/** Whether an object has the metadata of all requests, notifications or results of the tables. */
function hasMetadata(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("_meta" in value)) return false;
  const { _meta: metadata } = value;
  return typeof metadata === "object" && metadata !== null &&
    ["protocolVersion", "serverInfo", "subscriptionId"]
      .some((name) => `io.modelcontextprotocol/${name}` in metadata);
}

const NOTIFICATION_CHANGES: readonly Change[] = [
  [META, []],
  [key("subscriptionId"), true, "2026-07-28"],
];

const RESULT_CHANGES: readonly Change[] = [
  ...VERSION_CHANGES,
  ...ID_CHANGES,
  ["id", MISSING],
  ["result", MISSING],
  ["result", null],
  ["result", []],
  ["result.resultType", MISSING, "2026-07-28"],
  ["result.resultType", 1, "2026-07-28"],
  ["result._meta", []],
];

const SERVER_CHANGES: readonly Change[] = from("2026-07-28", [
  ['result._meta["io.modelcontextprotocol/serverInfo"]', "program"],
  ...at('result._meta["io.modelcontextprotocol/serverInfo"]', PROGRAM_CHANGES),
]);

const ERROR_CHANGES: readonly Change[] = [
  ...VERSION_CHANGES,
  ["id", true],
  ["id", 1.5],
  ["result", {}],
  ["error", "No"],
  ["error.code", MISSING],
  ["error.code", "1"],
  ["error.code", 1.5],
  ["error.message", MISSING],
  ["error.message", 1],
];

export const ENVELOPE_ROWS: readonly MessageRow[] = [
  {
    from: "client",
    message: { jsonrpc: "2.0", id: "a", method: "vendor/call", params: { any: 1 }, more: 1 },
    wrong: [["params", null]],
  },
  {
    from: "server",
    message: { jsonrpc: "2.0", method: "vendor/event", params: { any: 1 }, more: 1 },
    wrong: [],
  },
  {
    from: "server",
    method: "vendor/call",
    message: { jsonrpc: "2.0", id: 1, result: { resultType: "vendor", any: 1 }, more: 1 },
    wrong: [],
  },
  {
    from: "server",
    message: { jsonrpc: "2.0", id: 1, error: { code: -32600, message: "No", data: {} } },
    wrong: [
      ["id", MISSING, "2024-11-05", "2025-06-18"],
      ["error", { code: -32042, message: "No", data: {} }, "2025-11-25", "2025-11-25"],
      ["error", { code: -32021, message: "No", data: {} }, "2026-07-28"],
      ["error", { code: -32022, message: "No", data: {} }, "2026-07-28"],
    ],
  },
  {
    from: "server",
    message: { jsonrpc: "2.0", id: null, error: { code: -32700, message: "No" } },
    wrong: [],
  },
  {
    from: "server",
    versions: LAST_LEGACY,
    message: {
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32042,
        message: "Log in first",
        data: {
          elicitations: [{ mode: "url", message: "a", elicitationId: "1", url: "https://a.test" }],
        },
      },
    },
    wrong: [
      ["error.data", MISSING],
      ["error.data", []],
      ["error.data.elicitations", MISSING],
      ["error.data.elicitations", {}],
      ["error.data.elicitations[0]._meta", []],
      ["error.data.elicitations[0].mode", MISSING],
      ["error.data.elicitations[0].mode", "form"],
      ["error.data.elicitations[0].url", MISSING],
      ["error.data.elicitations[0].url", 1],
      ["error.data.elicitations[0].message", MISSING],
      ["error.data.elicitations[0].message", 1],
      ["error.data.elicitations[0].elicitationId", MISSING],
      ["error.data.elicitations[0].elicitationId", 1],
    ],
  },
  {
    from: "server",
    versions: MODERN,
    message: {
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32022,
        message: "No",
        data: { supported: ["2026-07-28"], requested: "2027-01-01" },
      },
    },
    wrong: [
      ["error.data", []],
      ["error.data.supported", MISSING],
      ["error.data.supported", "2026-07-28"],
      ["error.data.supported[0]", 1],
      ["error.data.requested", MISSING],
      ["error.data.requested", 1],
    ],
  },
  {
    from: "server",
    versions: MODERN,
    message: {
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32021,
        message: "No",
        data: { requiredCapabilities: CLIENT_CAPABILITIES },
      },
    },
    wrong: [
      ["error.data", []],
      ["error.data.requiredCapabilities", MISSING],
      ["error.data.requiredCapabilities", []],
      ...at("error.data.requiredCapabilities", CLIENT_CAPABILITY_CHANGES),
    ],
  },
];
