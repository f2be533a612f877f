import { assertEquals } from "@std/assert";
import type { JsonObject } from "../kit/json.ts";
import { readSuite } from "../kit/load_cases.ts";
import { loadSuite } from "../suite.ts";
import { findClosedMatchers } from "./closed_matchers.ts";

const HEADER = {
  id: "mcp/sample/one",
  kind: "exchange",
  role: "client",
  title: "t",
  level: "MUST",
  basis: "decision",
  clauses: ["MCP-RPC-1"],
  why: "w",
  source: "by hand",
};

function findIn(...steps: readonly JsonObject[]): readonly string[] {
  const suite = readSuite(new Map([["f", { kit: 1, cases: [{ ...HEADER, steps }] }]]));
  return [...suite.values()].flatMap(findClosedMatchers);
}

Deno.test("no case rejects additional members where MCP allows them", () => {
  const closed = [...loadSuite().values()].flatMap((each) =>
    findClosedMatchers(each).map((path) => `${each.id} ${path}`)
  );
  assertEquals(closed, []);
});

Deno.test("findClosedMatchers() finds closed params, _meta, capabilities, results and errors", () => {
  const version = { "io.modelcontextprotocol/clientCapabilities": { $const: {} } };
  const steps: readonly (readonly [JsonObject, readonly string[]])[] = [
    [{ receive: { method: "a", params: { $const: { x: 1 } } } }, ["steps[0] params"]],
    [{ receive: { params: { _meta: { $exact: {} } } } }, ["steps[0] params _meta"]],
    [{ receive: { params: { $oneOf: [{}, { $const: {} }] } } }, ["steps[0] params"]],
    [{ receive: { params: { capabilities: { $const: {} } } } }, ["steps[0] params capabilities"]],
    [
      { receive: { params: { _meta: version } } },
      ["steps[0] params _meta io.modelcontextprotocol/clientCapabilities"],
    ],
    [{ receive: { $exact: { jsonrpc: "2.0", method: "a" } } }, ["steps[0]"]],
    [{ receive: { id: 1, error: { $exact: { code: 1 } } } }, ["steps[0] error"]],
    [{ accept: { json: { params: { $const: {} } } }, as: "a" }, ["steps[0] params"]],
    [
      { request: { method: "a" }, expect: { result: { content: [{ $exact: {} }] } } },
      ["steps[0] result content"],
    ],
    [
      { repeat: 2, steps: [{ receive: { result: { $const: { action: "decline" } } } }] },
      ["steps[0] result"],
    ],
  ];
  for (const [step, paths] of steps) assertEquals(findIn(step), paths);
});

Deno.test("findClosedMatchers() accepts closed responses, arguments and the application's own data", () => {
  const steps: readonly JsonObject[] = [
    { receive: { $exact: { jsonrpc: "2.0", id: 1, result: {} } } },
    { receive: { params: { name: "x", arguments: { $const: { a: 1 } } } } },
    {
      request: { method: "a" },
      expect: { result: { structuredContent: { $exact: { sum: 5 } } } },
    },
  ];
  assertEquals(findIn(...steps), []);
});
