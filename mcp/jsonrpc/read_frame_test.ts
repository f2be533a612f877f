import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { RpcMessage } from "./message.ts";
import { type Frame, readFrame, readMessage } from "./read_frame.ts";

const MESSAGES: readonly [string, Frame["kind"], RpcMessage][] = [
  [
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    "request",
    { jsonrpc: "2.0", id: 1, method: "ping" },
  ],
  [
    '{"jsonrpc":"2.0","id":"a","method":"x","params":{"b":1},"extra":true}',
    "request",
    { jsonrpc: "2.0", id: "a", method: "x", params: { b: 1 } },
  ],
  [
    '{"jsonrpc":"2.0","id":1,"method":"x","params":null}',
    "request",
    { jsonrpc: "2.0", id: 1, method: "x" },
  ],
  ['{"jsonrpc":"2.0","method":"x"}', "notification", { jsonrpc: "2.0", method: "x" }],
  ['{"jsonrpc":"2.0","method":"x","params":[1]}', "notification", { jsonrpc: "2.0", method: "x" }],
  ['{"jsonrpc":"2.0","method":"x","params":"p"}', "notification", { jsonrpc: "2.0", method: "x" }],
  [
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    "response",
    { jsonrpc: "2.0", id: 1, result: {} },
  ],
  [
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}',
    "response",
    { jsonrpc: "2.0", id: null, error: { code: -32700, message: "m" } },
  ],
  [
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"the last id wins"}',
    "request",
    { jsonrpc: "2.0", id: 2, method: "the last id wins" },
  ],
];

Deno.test("readFrame() reads every kind of message", () => {
  for (const [text, kind, message] of MESSAGES) {
    assertEquals(readFrame(text), { kind, message } as Frame, text);
  }
});

/**
 * Test cases: JSON text, expected error code and id, and whether the text is an invalid response.
 */
const INVALID: readonly [string, number, string | number | null, boolean][] = [
  ["", -32700, null, false],
  ["hello", -32700, null, false],
  ['{"jsonrpc":"2.0","id":1,"method":', -32700, null, false],
  ["17", -32600, null, false],
  ["null", -32600, null, false],
  ["[]", -32600, null, false],
  ['{"id":1,"method":"x"}', -32600, 1, false],
  ['{"jsonrpc":"1.0","id":1,"method":"x"}', -32600, 1, false],
  ['{"jsonrpc":2.0,"id":1,"method":"x"}', -32600, 1, false],
  ['{"jsonrpc":"2.0","id":1}', -32600, 1, false],
  ['{"jsonrpc":"2.0","id":1,"method":2}', -32600, 1, false],
  ['{"jsonrpc":"2.0","id":null,"method":"x"}', -32600, null, false],
  ['{"jsonrpc":"2.0","id":1.5,"method":"x"}', -32600, null, false],
  ['{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}', -32600, null, false],
  ['{"jsonrpc":"2.0","id":{},"method":"x"}', -32600, null, false],
  ['{"jsonrpc":"2.0","id":true,"method":"x"}', -32600, null, false],
  ['{"jsonrpc":"2.0","id":1,"method":"x","params":[]}', -32602, 1, false],
  ['{"jsonrpc":"2.0","id":1,"method":"x","params":"p"}', -32602, 1, false],
  ['{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}', -32600, 1, true],
  ['{"jsonrpc":"2.0","id":1,"result":7}', -32600, 1, true],
  ['{"jsonrpc":"2.0","result":{}}', -32600, null, true],
  ['{"jsonrpc":"2.0","id":1,"result":null,"error":null}', -32600, 1, true],
  ['{"jsonrpc":"2.0","id":1,"result":null}', -32600, 1, true],
  ['{"jsonrpc":"2.0","id":1,"error":{}}', -32600, 1, true],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"m"}}', -32600, 1, true],
  ['{"id":1,"result":{}}', -32600, 1, true],
];

Deno.test("readFrame() accepts a response with a deviation that has one meaning", () => {
  for (
    const [members, message, what] of [
      ['"result":{},"error":null', { result: {} }, '"error" is null'],
      [
        '"result":null,"error":{"code":1,"message":"m","data":2}',
        { error: { code: 1, message: "m", data: 2 } },
        '"result" is null',
      ],
      [
        '"error":{"code":1,"data":2}',
        { error: { code: 1, message: "error 1", data: 2 } },
        '"error.message" is not a string',
      ],
    ] as const
  ) {
    const frame = readFrame(`{"jsonrpc":"2.0","id":1,${members}}`);
    const expected = { jsonrpc: "2.0", id: 1, ...message };
    assertEquals(frame, { kind: "response", message: expected, deviation: { what } } as Frame);
  }
});

Deno.test("readFrame() keeps the words of an error that is not valid", () => {
  for (
    const error of [
      '"error":{"code":"500","message":"boom"}',
      '"error":{"message":"boom"}',
      '"result":{},"error":{"code":1,"message":"boom"}',
    ]
  ) {
    const frame = readFrame(`{"jsonrpc":"2.0","id":1,${error}}`);
    assert(frame.kind === "invalid" && frame.reason.includes("boom"), error);
  }
  const long = readFrame(`{"jsonrpc":"2.0","id":1,"error":{"message":"${"x".repeat(5000)}"}}`);
  assert(long.kind === "invalid" && long.reason.length < 500);
});

Deno.test("readFrame() returns the error for an invalid message", () => {
  for (const [text, code, id, isResponse] of INVALID) {
    const frame = readFrame(text);
    assert(frame.kind === "invalid", text);
    assertEquals([frame.code, frame.id, frame.isResponse], [code, id, isResponse], text);
  }
});

Deno.test("readFrame() reads each message in a batch independently", () => {
  const frame = readFrame('[{"jsonrpc":"2.0","method":"x"},1]');
  assert(frame.kind === "batch");
  assertEquals(frame.frames.map(({ kind }) => kind), ["notification", "invalid"]);
});

Deno.test("readFrame() rejects a batch over the limit", () => {
  const batch = (size: number) => JSON.stringify(Array(size).fill({ jsonrpc: "2.0", method: "x" }));
  assertEquals(readFrame(batch(3), { maxBatch: 3 }).kind, "batch");
  assertEquals(readFrame(batch(4), { maxBatch: 3 }).kind, "invalid");
  assertEquals(readFrame(batch(100)).kind, "batch");
  assertEquals(readFrame(batch(101)).kind, "invalid");
});

Deno.test("readFrame() reads deeply nested JSON", () => {
  const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  const text = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"deep":${deep}}}`;
  assertEquals(readFrame(text).kind, "request");
});

Deno.test("readFrame() never throws, whatever the text", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.json()),
      (text) => void readFrame(text),
    ),
    propertyRuns(300),
  );
});

Deno.test("readMessage() returns every valid message unchanged", () => {
  const id = fc.oneof(fc.string(), fc.integer());
  const params = fc.dictionary(fc.string(), fc.jsonValue());
  const message = fc.oneof(
    fc.record({
      jsonrpc: fc.constant("2.0" as const),
      id,
      method: fc.string(),
      params,
    }, { requiredKeys: ["jsonrpc", "method"] }),
    fc.record({ jsonrpc: fc.constant("2.0" as const), id, result: params }),
  );
  fc.assert(
    fc.property(message, (value) => {
      const frame = readMessage(JSON.parse(JSON.stringify(value)));
      assert(frame.kind !== "invalid");
      assertEquals(JSON.stringify(sorted(frame.message)), JSON.stringify(sorted(value)));
    }),
    propertyRuns(200),
  );
});

function sorted(value: object): unknown {
  return Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
}
