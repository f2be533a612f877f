import { assertEquals } from "@std/assert";
import type { Sentence } from "./prose.ts";
import config from "./words.json" with { type: "json" };
import ratchet from "./words_ratchet.json" with { type: "json" };
import { createMatcher, groupOf, hitsAbove } from "./words.ts";

function sentence(text: string, more: Partial<Sentence> = {}): Sentence {
  return { kind: "doc", text, line: 1, isSummary: false, ...more };
}

function idsOf(text: string, more: Partial<Sentence> = {}): string[] {
  return createMatcher(config.rules)(sentence(text, more)).map(({ id }) => id);
}

Deno.test("createMatcher() matches prose, but not code or quoted text", () => {
  const table: readonly [string, readonly string[]][] = [
    ["The value is no number", ["is-no"]],
    ["The client is no longer connected", []],
    ["A limit that is none", ["is-none"]],
    ["Nobody reads it", ["person"]],
    ["The handler is told the result", ["told"]],
    ["The timer goes on", ["goes-on"]],
    ["It isn't right and that's all", ["contraction"]],
    ['The flag `nobody` and the text "is no number"', []],
    ["Returns true if the message is valid", []],
  ];
  for (const [text, expected] of table) assertEquals(idsOf(text), [...expected], text);
});

Deno.test("createMatcher() applies a rule only to its kinds of text, or only to summaries", () => {
  const text = "What the server sends";
  assertEquals(idsOf(text), []);
  assertEquals(idsOf(text, { isSummary: true }), ["what-summary"]);
  assertEquals(idsOf(text, { isSummary: true, kind: "markdown" }), []);
  assertEquals(idsOf("Cannot read it: it is empty", { kind: "error" }), ["message"]);
});

Deno.test("createMatcher() does not report allowed sentences", () => {
  const rules = [{ id: "news", pattern: "news", advice: "" }];
  const match = createMatcher(rules, [{ rule: "news", text: "the daily news" }]);
  assertEquals(match(sentence("Reads the daily news")), []);
  assertEquals(match(sentence("Sends news")).length, 1);
});

Deno.test("groupOf() returns separate groups for test names and for data", () => {
  assertEquals(groupOf("mcp/client/a.ts", "doc"), "mcp");
  assertEquals(groupOf("mcp/client/a_test.ts", "test"), "mcp tests");
  assertEquals(groupOf("conformance/cases/a.json", "data"), "conformance data");
  assertEquals(groupOf("README.md", "markdown"), "root");
});

Deno.test("hitsAbove() omits groups below the allowed share", () => {
  const groups = new Map([
    ["a", { sentences: 200, hits: 2 }],
    ["b", { sentences: 199, hits: 2 }],
    ["c", { sentences: 5, hits: 0 }],
  ]);
  assertEquals([...hitsAbove(groups, 1)], [["b", 2]]);
});

Deno.test("the rules in words.json have unique ids, and words_ratchet.json contains counts", () => {
  const ids = config.rules.map(({ id }) => id);
  assertEquals(new Set(ids).size, ids.length);
  for (const count of Object.values(ratchet)) assertEquals(Number.isSafeInteger(count), true);
});
