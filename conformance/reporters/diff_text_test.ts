import { assertEquals } from "@std/assert";
import { diffReports } from "../kit/diff_reports.ts";
import type { Report } from "../kit/report.ts";
import type { CaseResult, Verdict } from "../kit/verdict.ts";
import { formatDiff } from "./diff_text.ts";

function report(version: string, verdicts: Readonly<Record<string, Verdict>>): Report {
  const results = Object.entries(verdicts).map(([id, verdict]): CaseResult => ({
    id: `comm/x/${id}`,
    title: id,
    rev: "00000000",
    verdict,
    level: id.startsWith("should") ? "SHOULD" : "MUST",
    isRequired: true,
    ms: 1,
  }));
  return {
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: "mine", version }],
    requirements: [{ name: "comm.draft", digest: "3f2a91c0".repeat(8), cases: 9 }],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1,
    results,
    stale: [],
    isInterrupted: false,
  };
}

function diff(before: Report, after: Report): string {
  const reports = [{ path: "a.json", report: before }, { path: "b.json", report: after }];
  return formatDiff(reports, diffReports(before, after));
}

const BEFORE = report("1", {
  a: "pass",
  b: "fail",
  c: "untestable",
  "should-d": "pass",
  e: "pass",
});
const AFTER = report("2", { a: "fail", b: "pass", c: "pass", "should-d": "hang", f: "pass" });

Deno.test("formatDiff() lists the changes by kind", () => {
  assertEquals(
    diff(BEFORE, AFTER),
    `a.json: mine 1, 2026-01-02, kit 0.1.0, comm.draft (digest 3f2a91c0)
b.json: mine 2, 2026-01-02, kit 0.1.0, comm.draft (digest 3f2a91c0)

worse: 2
  MUST   comm/x/a: pass to fail
  SHOULD comm/x/should-d: pass to hang

better: 1
  MUST   comm/x/b: fail to pass

newly tested: 1
  MUST   comm/x/c: untestable to pass

only in the second report: 1
  MUST   comm/x/f: pass

only in the first report: 1
  MUST   comm/x/e: pass

2 worse (1 MUST), 1 better, 0 not comparable
`,
  );
});

Deno.test("formatDiff() shortens long lists of changes that are neither better nor worse", () => {
  const added = Object.fromEntries(
    Array.from({ length: 23 }, (_, index) => [`a${index}`, "pass" as const]),
  );
  const out = diff(report("1", {}), report("2", added));
  assertEquals(out.includes("only in the second report: 23\n"), true);
  assertEquals(out.includes("\n  and 3 more (--json lists all)\n"), true);
});

Deno.test("formatDiff() escapes the text of the subject", () => {
  const out = diff(report("\x1b[2J", {}), report("2", {}));
  assertEquals(out.includes("\x1b"), false);
});

Deno.test("formatDiff() says if the requirement sets differ", () => {
  const { requirements: _, ...without } = report("2", { a: "pass" });
  const out = diff(report("1", { a: "pass" }), without);
  assertEquals(
    out,
    `a.json: mine 1, 2026-01-02, kit 0.1.0, comm.draft (digest 3f2a91c0)
b.json: mine 2, 2026-01-02, kit 0.1.0, no requirement set
The requirement sets differ: only cases that are equal in both are compared.

0 worse (0 MUST), 0 better, 0 not comparable
`,
  );
});
