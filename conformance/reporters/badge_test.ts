import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Report } from "../kit/report.ts";
import type { CaseResult, Verdict } from "../kit/verdict.ts";
import { formatBadgeJson, formatBadgeSvg } from "./badge.ts";

function report(verdicts: readonly Verdict[], more: Partial<Report> = {}): Report {
  const results = verdicts.map((verdict, index): CaseResult => {
    const id = `comm/a/${index}`;
    return { id, title: id, rev: "00000000", verdict, level: "MUST", isRequired: true, ms: 1 };
  });
  return {
    report: 2,
    kit: "0.1.0",
    subjects: [],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1,
    results,
    stale: [],
    isInterrupted: false,
    ...more,
  };
}

Deno.test("formatBadgeJson() returns the counts and the color of a run", () => {
  const rows: readonly (readonly [Report, string, boolean])[] = [
    [report(["pass", "pass", "n/a", "untestable"]), "2/2 passed", false],
    [report(["pass", "fail"]), "1/2 passed", true],
    [report(["pass", "known"]), "1/2 passed", false],
    [report(["untestable"]), "no case tested", true],
    [report(["pass"], { isInterrupted: true }), "interrupted", true],
  ];
  for (const [run, message, isError] of rows) {
    const badge = JSON.parse(formatBadgeJson(run));
    assertEquals([badge.message, badge.isError], [message, isError]);
    assertEquals(badge.color, isError ? "#b3202e" : "#15703f");
    assertEquals([badge.schemaVersion, badge.label], [1, "parley kit 0.1.0"]);
  }
});

Deno.test("formatBadgeSvg() shows the requirement set, and escapes text", () => {
  const svg = formatBadgeSvg(report(["pass"], { requirements: ["<&>"] }));
  assertStringIncludes(svg, "<title>parley kit &lt;&amp;&gt;: 1/1 passed</title>");
  assertEquals(svg.match(/<text /g)?.length, 2);
});
