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

const [GREEN, YELLOW, RED] = ["#15703f", "#7d5200", "#b3202e"];

Deno.test("formatBadgeJson() returns the passed share of the required cases that apply, and a color", () => {
  const rows: readonly (readonly [Report, message: string, color: string | undefined])[] = [
    [report(["pass", "pass", "n/a"]), "2/2 MUST", GREEN],
    [report(["pass", "pass", "n/a", "untestable"]), "2/3 MUST", YELLOW],
    [report(["pass", "known"]), "1/2 MUST", YELLOW],
    [report(["pass", "known_flaky"]), "1/2 MUST", YELLOW],
    [report(["pass", "fail"]), "1/2 MUST", RED],
    [report(["pass", "fail", "untestable"]), "1/3 MUST", RED],
    [report(["pass", "not_run"]), "1/2 MUST", RED],
    [report(["pass", "kit_fault"]), "1/2 MUST", RED],
    [report(["untestable"]), "0/1 MUST", RED],
    [report(["n/a"]), "0/0 MUST", RED],
    [report(["pass"], { isInterrupted: true }), "1/1 MUST", RED],
    [report(["pass"], { stale: [{ id: "comm/a/0", reason: "comm/a/0 passes" }] }), "1/1 MUST", RED],
  ];
  for (const [run, message, color] of rows) {
    const badge = JSON.parse(formatBadgeJson(run));
    assertEquals([badge.message, badge.color], [message, color]);
    assertEquals(badge.isError, color === RED);
    assertEquals([badge.schemaVersion, badge.label], [1, "parley kit 0.1.0"]);
  }
});

Deno.test("formatBadgeJson() does not count cases that are not required", () => {
  const passed = report(["pass"]);
  const optional = (["SHOULD", "MAY", "INFO", "MUST"] as const).map((level) =>
    report(["fail"]).results.map((each) => ({ ...each, level, isRequired: false }))
  ).flat();
  const badge = JSON.parse(
    formatBadgeJson({ ...passed, results: [...passed.results, ...optional] }),
  );
  assertEquals([badge.message, badge.color], ["1/1 MUST", GREEN]);
});

Deno.test("formatBadgeSvg() shows the requirement set, and escapes text", () => {
  const set = { name: "<&>", digest: "0".repeat(64), cases: 1 };
  const svg = formatBadgeSvg(report(["pass"], { requirements: [set] }));
  assertStringIncludes(svg, "<title>parley kit &lt;&amp;&gt;: 1/1 MUST</title>");
  assertEquals(svg.match(/<text /g)?.length, 2);
});
