import { assertEquals } from "@std/assert";
import {
  A2aError,
  type A2aErrorReason,
  canonicalStatusOf,
  readErrorReason,
  toErrorDetails,
} from "./errors.ts";

/** Section 5.4 of the specification, then JSON-RPC 2.0 and the errors of HTTP. */
const ROWS: readonly (readonly [A2aErrorReason, number, number, string])[] = [
  ["TASK_NOT_FOUND", -32001, 404, "NOT_FOUND"],
  ["TASK_NOT_CANCELABLE", -32002, 409, "FAILED_PRECONDITION"],
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 400, "UNIMPLEMENTED"],
  ["UNSUPPORTED_OPERATION", -32004, 400, "UNIMPLEMENTED"],
  ["CONTENT_TYPE_NOT_SUPPORTED", -32005, 415, "INVALID_ARGUMENT"],
  ["INVALID_AGENT_RESPONSE", -32006, 502, "INTERNAL"],
  ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007, 400, "FAILED_PRECONDITION"],
  ["EXTENSION_SUPPORT_REQUIRED", -32008, 400, "FAILED_PRECONDITION"],
  ["VERSION_NOT_SUPPORTED", -32009, 400, "UNIMPLEMENTED"],
  ["PARSE_ERROR", -32700, 400, "INVALID_ARGUMENT"],
  ["INVALID_REQUEST", -32600, 400, "INVALID_ARGUMENT"],
  ["METHOD_NOT_FOUND", -32601, 404, "NOT_FOUND"],
  ["INVALID_PARAMS", -32602, 400, "INVALID_ARGUMENT"],
  ["INTERNAL_ERROR", -32603, 500, "INTERNAL"],
  ["UNAUTHENTICATED", -32010, 401, "UNAUTHENTICATED"],
  ["PAYLOAD_TOO_LARGE", -32602, 413, "INVALID_ARGUMENT"],
  ["RESOURCE_EXHAUSTED", -32011, 429, "RESOURCE_EXHAUSTED"],
  ["UNAVAILABLE", -32603, 503, "UNAVAILABLE"],
];

Deno.test("each error has the codes of the specification", () => {
  for (const [reason, code, status, canonical] of ROWS) {
    const error = new A2aError(reason);
    assertEquals([error.code, error.status, canonicalStatusOf(error)], [code, status, canonical]);
  }
});

Deno.test("only errors that the protocol defines have details", () => {
  const metadata = { taskId: "k" };
  assertEquals(toErrorDetails(new A2aError("TASK_NOT_FOUND", undefined, { metadata })), [{
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "TASK_NOT_FOUND",
    domain: "a2a-protocol.org",
    metadata: { taskId: "k" },
  }]);
  assertEquals(toErrorDetails(new A2aError("INVALID_PARAMS")), []);
});

Deno.test("the reason is read from the details, then from the code", () => {
  assertEquals(readErrorReason(-32603, [{ reason: "TASK_NOT_FOUND" }]), "TASK_NOT_FOUND");
  assertEquals(readErrorReason(-32002, [{ reason: "OTHER" }, null, 5]), "TASK_NOT_CANCELABLE");
  assertEquals(readErrorReason(-32602, "text"), "INVALID_PARAMS");
  assertEquals(readErrorReason(undefined, undefined), "INTERNAL_ERROR");
  assertEquals(readErrorReason(1, [{ reason: "toString" }]), "INTERNAL_ERROR");
});
