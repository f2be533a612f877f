import { assertEquals, assertStringIncludes } from "@std/assert";
import { findMisses, formatJson, formatReport, growthRatio, type Report } from "./report.ts";

const REPORT: Report = {
  tables: [{ title: "call", unit: "us", values: new Map([["ours", 12.3456], ["other", 20]]) }],
  growth: [{
    name: "registered tools",
    work: "a call",
    unit: "us",
    costs: new Map([[1, 2], [1000, 3]]),
  }],
  checks: { requests: ["a foreign Host"], accepted: new Map([["other", ["a foreign Host"]]]) },
  ratios: { speed: 3, cost: 1.2346, size: 5 },
  promises: { speed: 4, cost: -1.25, missing: 1 },
};

Deno.test("findMisses() reads positive limits as minimums and negative limits as maximums", () => {
  assertEquals(findMisses(REPORT), ["speed", "missing"]);
  assertEquals(findMisses({ ratios: { a: 4, b: 2 }, promises: { a: 4, b: -2 } }), []);
});

Deno.test("formatReport() prints values, growth, checks and verdicts", () => {
  const text = formatReport(REPORT);
  assertStringIncludes(text, "12.3 us");
  assertStringIncludes(text, "a call, by number of registered tools");
  assertStringIncludes(text, "other                              a foreign Host");
  assertStringIncludes(text, "MISSED (at least 4)");
  assertStringIncludes(text, "kept   (at most 1.25)");
  assertEquals(text.split("\n").at(-1), '{"speed":3,"cost":1.235,"size":5}');
});

Deno.test("formatJson() contains the whole report, rounded to three decimals", () => {
  assertEquals(JSON.parse(formatJson(REPORT)), {
    tables: [{ title: "call", unit: "us", values: { ours: 12.346, other: 20 } }],
    growth: [{ name: "registered tools", work: "a call", unit: "us", costs: { 1: 2, 1000: 3 } }],
    checks: { requests: ["a foreign Host"], accepted: { other: ["a foreign Host"] } },
    ratios: { speed: 3, cost: 1.235, size: 5 },
    promises: { speed: 4, cost: -1.25, missing: 1 },
  });
});

Deno.test("growthRatio() compares the largest size with the smallest", () => {
  assertEquals(growthRatio({ costs: new Map([[100, 6], [1, 2], [10, 40]]) }), 3);
});
