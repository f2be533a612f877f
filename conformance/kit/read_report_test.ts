import { assertEquals, assertThrows } from "@std/assert";
import before from "../testdata/reports/before.json" with { type: "json" };
import { KitError } from "./error.ts";
import { parseReport } from "./read_report.ts";

Deno.test("parseReport() ignores members that it does not know", () => {
  const later = {
    ...before,
    invented: 1,
    results: before.results.map((each) => ({ ...each, more: 1 })),
  };
  assertEquals(parseReport(JSON.stringify(later), "a.json").results.length, 2);
});

Deno.test("parseReport() rejects text that is not a report", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["", "invalid JSON"],
    ["[]", "/: "],
    [JSON.stringify({ ...before, report: 1 }), "/report: "],
    [JSON.stringify({ ...before, requirements: ["comm-0.1.0"] }), "/requirements/0: "],
    [
      JSON.stringify({ ...before, results: [{ ...before.results[0], verdict: "odd" }] }),
      "/results/0/verdict: ",
    ],
    [
      JSON.stringify({ ...before, results: [{ ...before.results[0], rev: "1" }] }),
      "/results/0/rev: ",
    ],
  ];
  for (const [text, reason] of rows) {
    const error = assertThrows(
      () => parseReport(text, "a.json"),
      KitError,
      `Cannot read report "a.json": ${reason}`,
    );
    assertEquals(error.code, "bad_file");
  }
});
