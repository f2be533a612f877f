import { assertEquals, assertInstanceOf, assertStrictEquals } from "@std/assert";
import { McpError, McpErrorCode, type McpErrorDetails, type TimeoutDetails } from "./error.ts";

const CASES: readonly [McpError, string, Record<string, unknown>, string][] = [
  [
    McpError.connectionFailed("http://127.0.0.1:1/mcp", "refused"),
    "connection_failed",
    { url: "http://127.0.0.1:1/mcp", reason: "refused" },
    'Cannot connect to "http://127.0.0.1:1/mcp": refused',
  ],
  [
    McpError.transportError("stdio", "closed"),
    "transport_error",
    { transport: "stdio", reason: "closed" },
    "Cannot use the stdio transport: closed",
  ],
  [
    McpError.timeout({ method: "tools/call", target: "add", timeoutMs: 5, kind: "total" }),
    "timeout",
    { method: "tools/call", target: "add", timeoutMs: 5, kind: "total" },
    'Cannot complete "tools/call" ("add"): timed out after 5 ms ("maxTotalMs")',
  ],
  [
    McpError.protocolError("no id"),
    "protocol_error",
    { reason: "no id" },
    "Cannot complete the request: no id",
  ],
  [
    McpError.toolNotFound("add"),
    "tool_not_found",
    { toolName: "add" },
    'Cannot call tool "add": unknown tool',
  ],
  [
    McpError.serializationError("a cycle"),
    "serialization_error",
    { reason: "a cycle" },
    "Cannot convert to or from JSON: a cycle",
  ],
  [
    McpError.authError("denied"),
    "auth_error",
    { reason: "denied" },
    "Cannot authorize the request: denied",
  ],
  [
    McpError.tolerated(
      { what: '"description" is null', method: "tools/list", server: "s" },
      "tool 1",
    ),
    "tolerated",
    { what: '"description" is null', method: "tools/list", server: "s" },
    'The server "s" deviates from the protocol: "description" is null: tool 1 ("tools/list")',
  ],
  [McpError.core("odd"), "core", { reason: "odd" }, "Cannot complete the operation: odd"],
];

Deno.test("each named constructor of McpError sets code, details and message", () => {
  for (const [error, code, details, message] of CASES) {
    assertInstanceOf(error, Error);
    assertEquals([error.code, error.details, error.message], [code, details, message]);
  }
  assertEquals(CASES.map(([error]) => error.code), Object.values(McpErrorCode));
});

Deno.test("McpError stores the cause, the JSON-RPC error and the HTTP status", () => {
  const cause = new TypeError("inner");
  const error = McpError.protocolError("x", { cause, rpcCode: -32601, data: 1, httpStatus: 404 });
  assertStrictEquals(error.cause, cause);
  assertEquals([error.rpcCode, error.data, error.httpStatus], [-32601, 1, 404]);
});

Deno.test("McpError has no cause property if no cause is given", () => {
  assertEquals(Object.hasOwn(McpError.core("x"), "cause"), false);
});

Deno.test("McpError.is() compares the code and narrows the type of details", () => {
  for (const [error, code] of CASES) {
    for (const other of Object.values(McpErrorCode)) {
      assertEquals(error.is(other), other === code);
    }
  }
  const error: unknown = McpError.timeout({ method: "ping", timeoutMs: 5, kind: "silence" });
  if (!(error instanceof McpError) || !error.is("timeout")) throw new TypeError("not a timeout");
  const code: "timeout" = error.code;
  const details: TimeoutDetails = error.details;
  assertEquals([code, details.method], ["timeout", "ping"]);
});

Deno.test("McpError.is() narrows the type of details in a sequence of conditions", () => {
  const read = (error: McpError): string => {
    if (error.is(McpErrorCode.Timeout)) return error.details.method;
    if (error.is("tool_not_found")) return error.details.toolName;
    if (error.is("auth_error")) return error.details.scope ?? "";
    const all: McpErrorDetails[keyof McpErrorDetails] = error.details;
    return JSON.stringify(all);
  };
  assertEquals(CASES.map(([error]) => read(error)).slice(2, 5), [
    "tools/call",
    '{"reason":"no id"}',
    "add",
  ]);
});

Deno.test("McpError escapes invisible characters in its message but not in its details", () => {
  const reason = "a\u001b[2J\n\u202eb\u200bc\u2028d";
  const error = McpError.protocolError(reason);
  assertEquals(
    error.message,
    `Cannot complete the request: ${"a\\u{1b}[2J\\u{a}\\u{202e}b\\u{200b}c\\u{2028}d"}`,
  );
  assertEquals(error.details, { reason });
});
