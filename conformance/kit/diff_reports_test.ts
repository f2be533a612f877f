import { assertEquals } from "@std/assert";
import { CHANGE_KINDS, type ChangeKind, diffReports } from "./diff_reports.ts";
import type { Erratum } from "./errata.ts";
import type { Report } from "./report.ts";
import type { RequirementSet } from "./requirement_set.ts";
import type { CaseResult, Verdict } from "./verdict.ts";

function result(id: string, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult {
  return {
    id,
    title: id,
    rev: "00000000",
    verdict,
    level: "MUST",
    isRequired: true,
    ms: 1,
    ...more,
  };
}

function report(results: readonly CaseResult[], sets: readonly string[] = ["comm.1"]): Report {
  return {
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: "mine", version: "1" }],
    requirements: sets.map((name) => ({ name, digest: "0".repeat(64), cases: 1 })),
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1,
    results,
    stale: [],
    isInterrupted: false,
  };
}

const SET: RequirementSet = {
  name: "comm.1",
  format: 1,
  kit: "0.1.0",
  frozen: "2026-12-01",
  digest: "0".repeat(64),
  cases: ["a", "b", "c"].map((id) => ({ id, level: "MUST", digest: "0".repeat(32) })),
};

const ERRATUM: Erratum = {
  id: "comm.1-e1",
  case: "a",
  effect: "disputed",
  reason: "RFC 8785 allows both forms.",
  source: "https://a.example",
  issue: "https://b.example/1",
  date: "2026-12-20",
  kit: "0.1.1",
};

/** Compares two reports, and returns the changed ids of each kind that has any. */
function diff(
  before: Report,
  after: Report,
  errata: readonly Erratum[] = [],
): Partial<Record<ChangeKind, readonly string[]>> & { readonly worseMust: number } {
  const released = { sets: [SET], errata: [{ set: "comm.1", errata }] };
  const found = diffReports(before, after, released);
  const kinds = CHANGE_KINDS.filter((kind) => found[kind].length > 0);
  return {
    ...Object.fromEntries(kinds.map((kind) => [kind, found[kind].map(({ id }) => id)])),
    worseMust: found.worseMust,
  };
}

Deno.test("diffReports() sorts results by how they have changed", () => {
  const rows: readonly (readonly [Verdict, Verdict, ChangeKind | undefined])[] = [
    ["pass", "pass", undefined],
    ["pass", "fail", "worse"],
    ["pass", "crash", "worse"],
    ["pass", "hang", "worse"],
    ["pass", "known", "worse"],
    ["fail", "pass", "better"],
    ["noise", "pass", "better"],
    ["fail", "crash", undefined],
    ["fail", "known", undefined],
    ["untestable", "pass", "newlyRun"],
    ["n/a", "fail", "newlyRun"],
    ["pass", "not_run", "noLongerRun"],
    ["fail", "untestable", "noLongerRun"],
    ["n/a", "untestable", undefined],
    ["pass", "known_flaky", "noLongerRun"],
    ["pass", "kit_fault", "noLongerRun"],
  ];
  for (const [before, after, kind] of rows) {
    const found = diff(report([result("a", before)]), report([result("a", after)]));
    const expected = kind === undefined ? {} : { [kind]: ["a"] };
    assertEquals(found, { ...expected, worseMust: kind === "worse" ? 1 : 0 }, `${before} ${after}`);
  }
});

Deno.test("diffReports() compares only equal cases, over the same transport", () => {
  const other = { rev: "11111111" };
  assertEquals(diff(report([result("a", "pass")]), report([result("a", "fail", other)])), {
    changed: ["a"],
    worseMust: 0,
  });
  const before = [result("a", "pass", { transport: "stdio" }), result("b", "pass")];
  const after = [result("a", "fail", { transport: "http" }), result("c", "fail")];
  assertEquals(diff(report(before), report(after, ["comm.draft"])), {
    added: ["a", "c"],
    gone: ["a", "b"],
    worseMust: 0,
  });
});

Deno.test("diffReports() counts only MUST cases that are not decisions as worse MUST cases", () => {
  const rows: readonly (readonly [Partial<CaseResult>, number])[] = [
    [{}, 1],
    [{ level: "SHOULD" }, 0],
    [{ isDifference: true, isRequired: false }, 0],
  ];
  for (const [more, worseMust] of rows) {
    const found = diff(report([result("a", "pass", more)]), report([result("a", "fail", more)]));
    assertEquals(found, { worse: ["a"], worseMust });
  }
});

Deno.test("diffReports() applies the errata of the set to both reports", () => {
  const passed = report([result("a", "pass"), result("b", "pass")]);
  const failed = report([result("a", "fail"), result("b", "fail")]);
  assertEquals(diff(passed, failed, [ERRATUM]), { worse: ["b"], uncounted: ["a"], worseMust: 1 });
  assertEquals(diff(passed, failed, [{ ...ERRATUM, effect: "withdrawn" }]), {
    worse: ["b"],
    worseMust: 1,
  });
  assertEquals(diff(passed, failed, [{ ...ERRATUM, effect: "level", level: "SHOULD" }]), {
    worse: ["a", "b"],
    worseMust: 1,
  });
  const accepts = { ...ERRATUM, effect: "accepts" } as const;
  assertEquals(diff(passed, failed, [accepts]), { worse: ["b"], changed: ["a"], worseMust: 1 });
  assertEquals(diff(passed, passed, [accepts]), { worseMust: 0 });
  const released = { sets: [SET], errata: [{ set: "comm.1", errata: [ERRATUM] }] };
  assertEquals(diffReports(passed, failed, released).errata, ["comm.1-e1"]);
});

Deno.test("diffReports() applies no erratum twice, and removes errata that have ended", () => {
  const erratum = { id: "comm.1-e1", effect: "accepts", reason: "r" } as const;
  const wider = report([result("a", "pass", { erratum })]);
  const failing = report([result("a", "fail", { erratum })]);
  assertEquals(diff(wider, failing, [{ ...ERRATUM, effect: "accepts" }]), {
    worse: ["a"],
    worseMust: 1,
  });
  const disputed = report([
    result("a", "fail", {
      state: "disputed",
      isRequired: false,
      erratum: { id: "comm.1-e1", effect: "disputed", reason: "r" },
    }),
  ]);
  const ended = { date: "2027-01-02", reason: "RFC 8785 section 3.2 demands it." };
  assertEquals(diff(report([result("a", "pass")]), disputed, [{ ...ERRATUM, ended }]), {
    worse: ["a"],
    worseMust: 1,
  });
});

Deno.test("diffReports() applies no erratum to a report of another set or of another case", () => {
  const passed = report([result("a", "pass")], ["comm.2"]);
  const failed = report([result("a", "fail")], ["comm.2"]);
  assertEquals(diff(passed, failed, [ERRATUM]), { worse: ["a"], worseMust: 1 });
  const other = { rev: "11111111" };
  const found = diff(report([result("a", "pass", other)]), report([result("a", "fail", other)]), [
    ERRATUM,
  ]);
  assertEquals(found, { worse: ["a"], worseMust: 1 });
});
