import { assertEquals } from "@std/assert";
import { MessageChecker, type MessageOrigin } from "./message_checker.ts";

const SERVER: MessageOrigin = { version: "2025-11-25", from: "server" };
const CLIENT: MessageOrigin = { version: "2025-11-25", from: "client" };

Deno.test("findProblems() names the path and the type of a wrong optional member", () => {
  const tool = { name: "add", title: 5, inputSchema: { type: "object" } };
  const message = { jsonrpc: "2.0", id: 1, result: { tools: [tool] } };
  assertEquals(
    new MessageChecker().findProblems(message, { ...SERVER, method: "tools/list" }),
    ['$.result.tools[0].title: Instance type "number" is invalid. Expected "string"'],
  );
});

Deno.test("findProblems() lists all problems of a message, up to ten", () => {
  const checker = new MessageChecker();
  const tools = [{ name: 1, inputSchema: { type: "object" } }, { name: "b", title: 2 }];
  const list = (items: unknown) =>
    checker.findProblems({ jsonrpc: "2.0", id: 1, result: { tools: items } }, {
      ...SERVER,
      method: "tools/list",
    });
  assertEquals(list(tools), [
    '$.result.tools[0].name: Instance type "number" is invalid. Expected "string"',
    '$.result.tools[1]: has no member "inputSchema"',
    '$.result.tools[1].title: Instance type "number" is invalid. Expected "string"',
  ]);
  assertEquals(list(Array.from({ length: 20 }, () => 1)).length, 10);
});

Deno.test("findProblems() reports content that has none of the allowed forms once", () => {
  const message = { jsonrpc: "2.0", id: 1, result: { contents: [{ uri: "a:b", text: 1 }] } };
  assertEquals(
    new MessageChecker().findProblems(message, { ...SERVER, method: "resources/read" }),
    ["$.result.contents[0]: matches none of the allowed forms"],
  );
});

Deno.test("findProblems() checks only the envelope of unknown methods", () => {
  const checker = new MessageChecker();
  const call = { jsonrpc: "2.0", id: 1, method: "vendor/call", params: { name: 1 } };
  assertEquals(checker.findProblems(call, CLIENT), []);
  const { id: _, ...unnumbered } = call;
  assertEquals(checker.findProblems(unnumbered, CLIENT), []);
  const result = { jsonrpc: "2.0", id: 1, result: { tools: 1 } };
  assertEquals(checker.findProblems(result, { ...SERVER, method: "vendor/call" }), []);
  assertEquals(checker.findProblems(result, SERVER), []);
});

Deno.test("findProblems() does not check requests in the wrong direction", () => {
  const checker = new MessageChecker();
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: 1 } };
  assertEquals(checker.findProblems(call, SERVER), []);
  assertEquals(checker.findProblems(call, CLIENT).length, 1);
  const result = { jsonrpc: "2.0", id: 1, result: { content: 1 } };
  assertEquals(checker.findProblems(result, { ...CLIENT, method: "tools/call" }), []);
});

Deno.test("findProblems() accepts batches in 2025-03-26 only", () => {
  const checker = new MessageChecker();
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const broken = { jsonrpc: "2.0", id: null, method: "ping" };
  const batches: MessageOrigin = { version: "2025-03-26", from: "client" };
  assertEquals(checker.findProblems([ping, ping], batches), []);
  assertEquals(checker.findProblems([ping, broken], batches), [
    '$[1].id: Instance type "null" is invalid. Expected "string", "integer"',
  ]);
  assertEquals(checker.findProblems([], batches), ["$: is an empty batch"]);
  assertEquals(checker.findProblems([[ping]], batches), ["$[0]: is not an object"]);
  for (const version of ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"] as const) {
    assertEquals(checker.findProblems([ping], { version, from: "client" }), [
      `$: is an array, but ${version} has no batches`,
    ]);
  }
});

Deno.test("findProblems() rejects values that are not messages", () => {
  for (const value of [null, "ping", 1, undefined, true]) {
    assertEquals(new MessageChecker().findProblems(value, CLIENT), ["$: is not an object"]);
  }
  assertEquals(new MessageChecker().findProblems({}, CLIENT), [
    '$: has no member "jsonrpc"',
    '$: has no member "id"',
    '$: has no member "result"',
  ]);
});

Deno.test("findProblems() spells names with unusual characters in paths", () => {
  const content = { "a/b~c %": null, "\ud800": null };
  const message = { jsonrpc: "2.0", id: 1, result: { action: "accept", content } };
  const origin: MessageOrigin = { ...CLIENT, method: "elicitation/create" };
  const text = 'Instance type "null" is invalid. Expected "string", "number", "boolean"';
  assertEquals(new MessageChecker().findProblems(message, origin), [
    `$.result.content["a/b~c %"]: ${text}`,
    `$.result.content["\ufffd"]: ${text}`,
  ]);
});

Deno.test("findSchemaProblems() finds an invalid keyword at any depth", () => {
  const list = { type: "array", items: { type: "strin" } };
  const problems = new MessageChecker().findSchemaProblems({
    type: "object",
    properties: { type: { type: "string" }, list },
    required: [1],
  });
  assertEquals(problems, [
    '$.required[0]: Instance type "number" is invalid. Expected "string"',
    "$.properties.list.items.type: Instance does not match any of " +
    '["array","boolean","integer","null","number","object","string"]',
  ]);
});

/** Schemas that are valid in some drafts only. */
const DRAFTS: readonly (readonly [schema: object, valid: readonly string[]])[] = [
  [{ type: "object", properties: { a: true } }, ["6", "7", "2019-09", "2020-12"]],
  [{ exclusiveMinimum: true }, ["4"]],
  [{ exclusiveMinimum: 1 }, ["6", "7", "2019-09", "2020-12"]],
  [{ items: [{ type: "string" }] }, ["4", "6", "7", "2019-09"]],
  [{ prefixItems: [] }, ["4", "6", "7", "2019-09"]],
  [{ required: [] }, ["6", "7", "2019-09", "2020-12"]],
  [{ enum: [] }, ["6", "7", "2019-09", "2020-12"]],
  [{ if: 1 }, ["4", "6"]],
  [{ const: 1, $defs: 1 }, ["4", "6", "7"]],
  [{ dependentRequired: { a: "b" } }, ["4", "6", "7"]],
  [{ dependencies: { a: "b" } }, []],
  [{ dependencies: { a: ["b"] } }, ["4", "6", "7", "2019-09", "2020-12"]],
  [{ $dynamicRef: 1 }, ["4", "6", "7", "2019-09"]],
  [{ $recursiveRef: 1 }, ["4", "6", "7"]],
  [{ $anchor: "" }, ["4", "6", "7"]],
  [{ $defs: { a: { $anchor: "a-1" } } }, ["4", "6", "7", "2019-09", "2020-12"]],
  [{ minLength: -1 }, []],
  [{ multipleOf: 0 }, []],
  [{ anyOf: [] }, []],
  [{ type: [] }, []],
  [{ type: ["string", "string"] }, []],
  [{ type: ["string", "null"] }, ["4", "6", "7", "2019-09", "2020-12"]],
  [{ properties: { a: 1 } }, []],
  [{ additionalProperties: 1 }, []],
  [{ additionalProperties: false }, ["4", "6", "7", "2019-09", "2020-12"]],
  [{ nullable: true, "x-vendor": 1 }, ["4", "6", "7", "2019-09", "2020-12"]],
  [{ default: { type: "strin" }, enum: [{ type: 1 }] }, ["4", "6", "7", "2019-09", "2020-12"]],
];

const NAMES: Readonly<Record<string, string>> = {
  "4": "http://json-schema.org/draft-04/schema#",
  "6": "http://json-schema.org/draft-06/schema#",
  "7": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

Deno.test("findSchemaProblems() knows the keywords of each draft", () => {
  const checker = new MessageChecker();
  for (const [schema, valid] of DRAFTS) {
    for (const [draft, $schema] of Object.entries(NAMES)) {
      const isValid = checker.findSchemaProblems({ $schema, ...schema }).length === 0;
      assertEquals(isValid, valid.includes(draft), `${draft} ${JSON.stringify(schema)}`);
    }
    const isValid = checker.findSchemaProblems(schema).length === 0;
    assertEquals(isValid, valid.includes("2020-12"), JSON.stringify(schema));
  }
});

Deno.test("findSchemaProblems() does not check unknown drafts or endless depth", () => {
  const checker = new MessageChecker();
  assertEquals(checker.findSchemaProblems({ $schema: "https://a.test/own", type: "strin" }), []);
  assertEquals(checker.findSchemaProblems({ $schema: 1 }).length, 1);
  assertEquals(checker.findSchemaProblems([]), ["$: is not an object"]);
  const depth = 100_000;
  const deep: unknown = JSON.parse(`${'{"not":'.repeat(depth)}{"type":1}${"}".repeat(depth)}`);
  assertEquals(checker.findSchemaProblems(deep), []);
});
