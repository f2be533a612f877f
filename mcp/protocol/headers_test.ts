import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { request } from "../jsonrpc/message.ts";
import {
  checkHeaders,
  checkParameterHeaders,
  checkPresentHeaders,
  decodeHeaderValue,
  encodeHeaderValue,
  parameterHeaderValues,
  readParameterHeaders,
} from "./headers.ts";

/** Examples from the specification (2026-07-28, Streamable HTTP). */
const ENCODED: readonly [string, string][] = [
  ["us-west1", "us-west1"],
  ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
  [" padded ", "=?base64?IHBhZGRlZCA=?="],
  ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
  ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
];

Deno.test("encodeHeaderValue() and decodeHeaderValue() match the examples in the specification", () => {
  for (const [value, text] of ENCODED) {
    assertEquals(encodeHeaderValue(value), text);
    assertEquals(decodeHeaderValue(text), value);
  }
});

Deno.test("decodeHeaderValue() returns undefined if the encoding is invalid", () => {
  for (
    const text of [
      "=?base64?SGVsbG8?=",
      "=?base64?SGVs bG8=?=",
      "=?base64?SGVsbG8-?=",
      "=?base64?/w==?=",
      "caf\u00e9",
    ]
  ) assertEquals(decodeHeaderValue(text), undefined, text);
});

Deno.test("encodeHeaderValue() returns a valid header value that decodes to the same string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (value) => {
      const headers = new Headers({ "mcp-param-x": encodeHeaderValue(value) });
      assertEquals(decodeHeaderValue(headers.get("mcp-param-x") ?? ""), value);
    }),
    propertyRuns(300),
  );
});

Deno.test("readParameterHeaders() finds annotations on properties", () => {
  const schema = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      deep: { type: "object", properties: { n: { type: "integer", "x-mcp-header": "N" } } },
      "x-mcp-header": { type: "string" },
    },
  };
  assertEquals(readParameterHeaders(schema), {
    ok: true,
    value: [
      { header: "mcp-param-region", path: ["region"] },
      { header: "mcp-param-n", path: ["deep", "n"] },
    ],
  });
});

const A = { type: "string", "x-mcp-header": "A" };

/** Test cases: description of the invalid annotation, and the members of the schema. */
const INVALID: readonly [string, object][] = [
  ["an empty header name", { properties: { a: { type: "string", "x-mcp-header": "" } } }],
  ["a space in the header name", { properties: { a: { type: "string", "x-mcp-header": "A B" } } }],
  ["a control character in the header name", {
    properties: { a: { type: "string", "x-mcp-header": "A\r\nB" } },
  }],
  ["a header name that is not a string", {
    properties: { a: { type: "string", "x-mcp-header": 1 } },
  }],
  ["an annotation on a number", { properties: { a: { type: "number", "x-mcp-header": "A" } } }],
  ["an annotation on an object", { properties: { a: { type: "object", "x-mcp-header": "A" } } }],
  ["two annotations with the same header name", {
    properties: { a: A, b: { ...A, "x-mcp-header": "a" } },
  }],
  ["an annotation on the root schema", { "x-mcp-header": "A" }],
  ["an annotation in `items`", { properties: { a: { type: "array", items: A } } }],
  ["an annotation in `anyOf`", { anyOf: [{ properties: { a: A } }] }],
  ["an annotation in `if`", { if: { properties: { a: A } } }],
  ["an annotation in `$defs`", { $defs: { a: A } }],
];

Deno.test("readParameterHeaders() rejects annotations that the specification forbids", () => {
  for (const [what, schema] of INVALID) {
    assertEquals(readParameterHeaders({ type: "object", ...schema }).ok, false, what);
  }
});

Deno.test("checkParameterHeaders() accepts headers created by parameterHeaderValues()", () => {
  const parameters = [
    { header: "mcp-param-a", path: ["a"] },
    { header: "mcp-param-b", path: ["b", "c"] },
  ];
  const primitive = fc.oneof(fc.string({ unit: "grapheme" }), fc.maxSafeInteger(), fc.boolean());
  const args = fc.record({
    a: fc.option(primitive),
    b: fc.record({ c: primitive }, { requiredKeys: [] }),
  }, { requiredKeys: [] });
  fc.assert(
    fc.property(args, (value) => {
      const headers = new Headers(parameterHeaderValues(value, parameters));
      assertEquals(checkParameterHeaders(headers, value, parameters), undefined);
    }),
    propertyRuns(200),
  );
});

Deno.test("checkParameterHeaders() rejects headers that do not match the arguments", () => {
  const parameters = [{ header: "mcp-param-a", path: ["a"] }];
  for (
    const [args, header] of [
      [{ a: "x" }, undefined],
      [{ a: "x" }, "y"],
      [{ a: "x" }, "X"],
      [{ a: 1 }, "2"],
      [{ a: 1 }, ""],
      [{ a: true }, "false"],
      [{}, "x"],
      [{ a: null }, "null"],
      [{ a: "x" }, "=?base64?eA?="],
      [undefined, "x"],
    ] as const
  ) {
    const headers = new Headers(header === undefined ? {} : { "mcp-param-a": header });
    const error = checkParameterHeaders(headers, args, parameters);
    assertEquals(error?.code, -32020, JSON.stringify([args, header]));
  }
});

/** Test cases: argument, header, and whether the header matches the argument. */
const INTEGERS: readonly (readonly [number, string, boolean])[] = [
  [10, "10", true],
  [10, "10.0", true],
  [10, "10.00", true],
  [-7, "-7", true],
  [0, "0", true],
  [10, encodeHeaderValue(" 10"), false],
  [10, encodeHeaderValue("10\n"), false],
  [10, "+10", false],
  [10, "010", false],
  [10, "0xA", false],
  [10, "0b1010", false],
  [10, "0o12", false],
  [10, "1e1", false],
  [10, "10.", false],
  [10, "10.01", false],
  [10, "10n", false],
  [10, "\u0661\u0660", false],
  [0, "-0", false],
  [0, "", false],
  [2 ** 53, "9007199254740992", false],
  [2 ** 53, "9007199254740993", false],
  [2 ** 53 - 1, "9007199254740991", true],
  [2 ** 53 - 1, "9007199254740991.4", false],
  [1.5, "1.5", false],
];

Deno.test("checkParameterHeaders() accepts only the decimal notation of an integer", () => {
  const parameters = [{ header: "mcp-param-n", path: ["n"] }];
  for (const [n, header, isSame] of INTEGERS) {
    const entries = [["mcp-param-n", header] as [string, string]];
    // `Headers` would trim the value.
    const headers = { get: () => header, [Symbol.iterator]: () => entries.values() };
    const error = checkParameterHeaders(headers, { n }, parameters);
    assertEquals(error === undefined, isSame, `${n} and ${header}`);
  }
});

Deno.test("checkHeaders() rejects an mcp-name header if the body lacks the name", () => {
  const nameKeys = new Map([["x/get", "key"]]);
  const rows = [
    ["tools/call", {}, "t", false],
    ["tools/call", { name: 1 }, "1", false],
    ["resources/read", {}, "file:///a", false],
    ["tools/list", {}, "t", false],
    ["x/get", {}, "k", false],
    ["x/get", { key: "k" }, "k", true],
    ["x/put", { key: "k" }, "k", true],
    ["tools/list", {}, undefined, true],
  ] as const;
  for (const [method, params, name, isValid] of rows) {
    const headers = new Headers({ "mcp-method": method, ...(name && { "mcp-name": name }) });
    const error = checkHeaders(headers, request(1, method, params), nameKeys);
    assertEquals(error?.code, isValid ? undefined : -32020, JSON.stringify([method, params]));
  }
});

Deno.test("an Mcp-Name header is rejected in a request that has no name", () => {
  const codeOf = (method: string, nameKeys?: ReadonlyMap<string, string>) => {
    const headers = new Headers({ "mcp-method": method, "mcp-name": "other" });
    const found = checkHeaders(headers, request(1, method, { name: "other" }), nameKeys)?.code;
    assertEquals(checkPresentHeaders(headers, { method, params: {} }, nameKeys)?.code, found);
    return found;
  };
  for (const method of ["tools/list", "server/discover", "completion/complete", "ping"]) {
    assertEquals(codeOf(method), -32020, method);
  }
  // Only an extension knows which of its requests have a name.
  for (const method of ["unknown/method", "tasks/get"]) assertEquals(codeOf(method), undefined);
  assertEquals(codeOf("tasks/get", new Map([["tasks/get", "taskId"]])), -32020);
});
