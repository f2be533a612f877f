import { assertEquals } from "@std/assert";
import { findJsonLine, formatPlace, lineCounter } from "./places.ts";

Deno.test("formatPlace() omits an unknown line", () => {
  assertEquals([formatPlace("a.ts", 3), formatPlace("a.ts", undefined)], ["a.ts:3", "a.ts"]);
});

Deno.test("lineCounter() counts the line breaks before an offset", () => {
  const lineOf = lineCounter("ab\n\nc\n");
  assertEquals([0, 2, 3, 4, 5, 6].map(lineOf), [1, 1, 2, 3, 3, 4]);
});

Deno.test("findJsonLine() finds each string after the previous one", () => {
  const text = '{\n  "a": {\n    "x": 1\n  },\n  "b": {\n    "x": 2\n  }\n}\n';
  const table: readonly [readonly string[], number | undefined][] = [
    [["x"], 3],
    [["b", "x"], 6],
    [["a"], 2],
    [["b", "a"], undefined],
    [["y"], undefined],
  ];
  for (const [strings, expected] of table) {
    assertEquals(findJsonLine(text, strings), expected, strings.join());
  }
});
