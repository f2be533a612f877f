import { assertEquals } from "@std/assert";
import { readMessage } from "./read_message.ts";

Deno.test("readMessage() reads requests and notifications", () => {
  assertEquals(readMessage('{"jsonrpc":"2.0","id":"1","method":"a","params":{"b":1}}'), {
    kind: "request",
    id: "1",
    method: "a",
    params: { b: 1 },
  });
  assertEquals(readMessage('{"jsonrpc":"2.0","id":1,"method":"a"}'), {
    kind: "request",
    id: 1,
    method: "a",
    params: {},
  });
  const notification = { kind: "notification", method: "a", params: {} } as const;
  assertEquals(readMessage('{"jsonrpc":"2.0","method":"a"}'), notification);
  assertEquals(readMessage('{"jsonrpc":"2.0","method":"a","params":[1]}'), notification);
});

Deno.test("readMessage() reads responses, and the parts of an error that are valid", () => {
  assertEquals(readMessage('{"jsonrpc":"2.0","id":1,"result":null}'), {
    kind: "response",
    id: 1,
    result: null,
  });
  assertEquals(readMessage('{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no"}}'), {
    kind: "failure",
    id: 1,
    error: { code: -32002, message: "no" },
  });
  assertEquals(readMessage('{"id":1,"error":"no"}'), {
    kind: "failure",
    id: 1,
    error: { code: -32603, message: "unknown error" },
  });
});

Deno.test("readMessage() reads null as an absent member", () => {
  assertEquals(readMessage('{"jsonrpc":"2.0","id":1,"method":"a","params":null}'), {
    kind: "request",
    id: 1,
    method: "a",
    params: {},
  });
  assertEquals(readMessage('{"jsonrpc":"2.0","id":1,"result":{},"error":null}'), {
    kind: "response",
    id: 1,
    result: {},
  });
});

Deno.test("readMessage() rejects fractional ids", () => {
  assertEquals(readMessage('{"jsonrpc":"2.0","id":1.5,"method":"a"}').kind, "invalid");
});
