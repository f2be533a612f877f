import { assertEquals, assertStringIncludes } from "@std/assert";
import { kindOf, renderCharts } from "./bench_charts.ts";
import type { BenchResult } from "./bench_result.ts";

const RESULT: BenchResult = {
  name: "comm",
  date: "2026-01-01",
  machine: {
    processor: "CPU",
    cores: 2,
    memoryGb: 4,
    system: "linux x86_64",
    runtime: "Deno 2.0.0",
  },
  versions: { jose: "1.0.0" },
  tables: [
    {
      title: "sign",
      unit: "/s",
      values: { "@parley/comm": 100, jose: 98, "WebCrypto alone": 200 },
    },
    { title: "guard", unit: "/s", values: { "ReplayGuard, full": 1, "ReplayGuard, filling": 1 } },
    { title: "two packages", unit: "ms", values: { "@parley/comm": 1, "@parley/mcp": 2 } },
  ],
  ratios: {},
};

Deno.test("renderCharts() draws the tables that compare a package with something else", () => {
  const [chart] = renderCharts([RESULT]);
  assertEquals(chart?.path, "public/bench-comm.svg");
  assertStringIncludes(chart?.text ?? "", "jose 98 (tie)");
  assertStringIncludes(chart?.text ?? "", "WebCrypto alone 200.");
  for (const title of ["guard", "two packages"]) assertEquals(chart?.text.includes(title), false);
});

Deno.test("kindOf() tells references, own packages and other libraries apart", () => {
  const kinds = [
    ["hand-made, async tool", "floor"],
    ["JSON.stringify of the response", "floor"],
    ["minimal script", "floor"],
    ["@parley/runtime, hand-made queue", "floor"],
    ["@parley/mcp, 1,000 tools", "own"],
    ["parley", "own"],
    ["SDK v1", "peer"],
  ];
  for (const [row = "", kind = ""] of kinds) assertEquals([row, kindOf(row)], [row, kind]);
});
