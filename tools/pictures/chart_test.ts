import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compare, formatNumber, renderChart } from "./chart.ts";

Deno.test("compare() calls a difference of at most 5 percent a tie", () => {
  const cases = [[100, "tie"], [105, "tie"], [95, "tie"], [106, "6 % more"], [80, "20 % less"]];
  for (const [value, expected] of cases) assertEquals(compare(Number(value), 100), expected);
  assertEquals(compare(230, 100), "2.3 times as much");
});

Deno.test("formatNumber() keeps three significant digits of small values", () => {
  assertEquals([12345.6, 123.4, 12.34, 0.1234].map(formatNumber), [
    "12,346",
    "123",
    "12.3",
    "0.123",
  ]);
});

Deno.test("renderChart() escapes text and describes every value", () => {
  const svg = renderChart({
    title: "A < B",
    note: "one machine",
    panels: [{
      title: "Time",
      unit: "microseconds",
      better: "lower",
      bars: [
        { label: "Parley", value: 10, kind: "own" },
        { label: "<script>", value: 20, kind: "peer" },
        { label: "bare", value: 5, kind: "floor" },
      ],
    }],
  });
  assertStringIncludes(svg, '<title id="title">A &lt; B</title>');
  assertStringIncludes(svg, "Parley 10, &lt;script&gt; 20 (2.0 times as much), bare 5.");
  assert(!svg.includes("<script>"));
  assertStringIncludes(svg, "prefers-color-scheme:dark");
});
