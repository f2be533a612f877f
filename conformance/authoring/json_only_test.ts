import { assertEquals } from "@std/assert";
import type { JsonObject } from "../kit/json.ts";
import { readSuite } from "../kit/load_cases.ts";
import { loadSuite } from "../suite.ts";
import { findJsonOnly } from "./json_only.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const HEADERS = { accept: "application/json, text/event-stream" };
const POST = { method: "POST", headers: HEADERS, body: PING };

function findIn(...steps: readonly JsonObject[]): readonly string[] {
  const sample = {
    id: "mcp/sample/one",
    kind: "exchange",
    role: "server",
    title: "t",
    level: "MUST",
    basis: "decision",
    clauses: ["MCP-RPC-1"],
    why: "w",
    source: "by hand",
    needs: { transports: ["http"] },
    steps,
  };
  const suite = readSuite(new Map([["f", { kit: 1, cases: [sample] }]]));
  return [...suite.values()].flatMap(findJsonOnly);
}

Deno.test("no case rejects an event stream where a server can respond with one", () => {
  const found = [...loadSuite().values()].flatMap((each) =>
    findJsonOnly(each).map((place) => `${each.id} ${place}`)
  );
  assertEquals(found, []);
});

Deno.test("findJsonOnly() finds responses to requests that must be JSON", () => {
  assertEquals(findIn({ http: POST, expect: { json: { id: 1 } } }), ["steps[0]"]);
  assertEquals(findIn({ http: POST, expect: { status: 200, json: {} } }), ["steps[0]"]);
  assertEquals(
    findIn({
      http: { method: "POST", headers: HEADERS, bodyText: JSON.stringify(PING) },
      expect: { json: {} },
    }),
    ["steps[0]"],
  );
  assertEquals(
    findIn({ repeat: 2, steps: [{ http: POST, expect: { json: {} } }] }),
    ["steps[0]"],
  );
});

Deno.test("findJsonOnly() permits JSON for rejections, and where no event stream is accepted", () => {
  const steps: readonly JsonObject[] = [
    { http: POST, expect: { $oneOf: [{ json: {} }, { events: { $last: { json: {} } } }] } },
    { http: POST, expect: { status: 400, json: {} } },
    { http: POST, expect: { status: { $num: { min: 400, max: 499 } }, json: {} } },
    { http: POST, expect: { status: 200 } },
    { http: { ...POST, headers: { accept: "application/json" } }, expect: { json: {} } },
    { http: { ...POST, body: { jsonrpc: "2.0", method: "x" } }, expect: { json: {} } },
    { http: { method: "GET", headers: HEADERS }, expect: { json: {} } },
  ];
  assertEquals(findIn(...steps), []);
});
