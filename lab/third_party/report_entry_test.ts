import { assertEquals } from "@std/assert";
import type { Erratum } from "../../conformance/kit/errata.ts";
import type { Report } from "../../conformance/kit/report.ts";
import type { CaseResult, Verdict } from "../../conformance/kit/verdict.ts";
import { compareRuns } from "./gate.ts";
import {
  applyErrata,
  countPrograms,
  describeOlder,
  listCauses,
  type ReportEntry,
} from "./report_entry.ts";
import { toSubjectResult } from "./result.ts";
import { toRow } from "./row.ts";
import type { ThirdPartySubject } from "./subject.ts";

const SERVER: ThirdPartySubject = {
  name: "a-server",
  title: "A server",
  package: "@them/server",
  version: "1.2.3",
  language: "typescript",
  library: "mcp",
  access: { kind: "stdio", command: "server" },
};

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

function entryOf(
  results: readonly CaseResult[],
  subject: Partial<ThirdPartySubject> = {},
): ReportEntry {
  const run: Report = {
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: "server", version: "1" }],
    requirements: [{ name: "mcp-2025-11-25.1", digest: "3f2a91c0aaaa", cases: 6 }],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1500,
    results,
    stale: [],
    isInterrupted: false,
  };
  const whole = { ...SERVER, ...subject };
  const agreement = compareRuns(results, results);
  return {
    subject: whole,
    result: toSubjectResult(whole, run, agreement),
    isOlder: false,
    disputed: [],
  };
}

/** Entry of a subject whose MUST cases with the given ids fail. */
function entry(subject: Partial<ThirdPartySubject>, ...ids: readonly string[]): ReportEntry {
  return entryOf(ids.map((id) => result(id, "fail", { basis: "jsonrpc" })), subject);
}

const NOTHING = { programs: 0, failing: 0, causes: 0, older: 0, once: 0 };

Deno.test("countPrograms() counts programs and causes, never configurations or cases", () => {
  const note = { cases: ["mcp/a/*"], text: "A line is lost." };
  const [stdio, http] = ["stdio", "http"].map((name) => ({ name, program: "p", notes: [note] }));
  const entries = [
    // One program with two causes: a note for two cases, and a case without a note.
    entry({ ...stdio }, "mcp/a/1", "mcp/a/2", "mcp/b/1"),
    entry({ ...http }, "mcp/a/1", "mcp/b/1"),
    // Another program fails for the same note, and in the same case for a separate cause.
    entry({ name: "q", notes: [note] }, "mcp/a/2", "mcp/b/1"),
    entry({ name: "r", notes: [note] }),
  ];
  assertEquals(countPrograms(entries), { ...NOTHING, programs: 3, failing: 2, causes: 3 });
  assertEquals(countPrograms([]), NOTHING);
});

Deno.test("describeOlder() counts programs with older results, and those that were run once", () => {
  const older = { ...entry({ name: "p" }), isOlder: true };
  const once = { ...older, subject: SERVER, result: { ...older.result, runs: 1 } };
  const describe = (...entries: readonly ReportEntry[]): string =>
    describeOlder(countPrograms(entries));
  assertEquals(describe(entry({})), "");
  assertEquals(
    describe(older),
    "The results of 1 program are older: their cases have changed since.",
  );
  assertEquals(
    describe(older, once),
    "The results of 2 programs are older: their cases have changed since, and 1 of them were run only once.",
  );
});

Deno.test("countPrograms() does not count recommendations and decisions", () => {
  const should = result("mcp/a/1", "fail", { basis: "jsonrpc", level: "SHOULD" });
  const decision = result("mcp/a/2", "fail", { basis: "decision" });
  assertEquals(countPrograms([entryOf([should, decision])]), { ...NOTHING, programs: 1 });
});

Deno.test("toRow() states the set, the kit, the date and the causes", () => {
  const issue = "https://example.org/1";
  const notes = [{ cases: ["mcp/stop/*"], text: "It throws at the limit.", issue }];
  const results = [
    result("mcp/stop/a", "pass"),
    result("mcp/stop/b", "fail", { basis: "jsonrpc" }),
    result("mcp/stop/c", "fail", { basis: "jsonrpc", level: "SHOULD" }),
    result("mcp/stop/d", "fail", { basis: "decision" }),
    result("mcp/stop/e", "n/a", { note: "not here" }),
    result("mcp/stop/f", "untestable", { note: "no operation" }),
  ];
  const subject = { program: "server", configuration: "stdio", notes };
  assertEquals(toRow(entryOf(results, subject)), {
    program: "server",
    version: "1.2.3",
    configuration: "stdio",
    set: "mcp-2025-11-25.1",
    digest: "3f2a91c0aaaa",
    errata: [],
    kit: "0.1.0",
    date: "2026-01-02",
    runs: 2,
    must: 1,
    should: 1,
    differences: 1,
    passed: 1,
    na: 1,
    untestable: 1,
    unstable: 0,
    causes: [{ title: "It throws at the limit.", cases: ["mcp/stop/b"], issue }],
  });
  assertEquals(listCauses(entry({ notes: [] }, "mcp/a/1", "mcp/a/2")), [
    { title: "mcp/a/1", cases: ["mcp/a/1"] },
    { title: "mcp/a/2", cases: ["mcp/a/2"] },
  ]);
});

Deno.test("applyErrata() moves failures of corrected cases out of the failures, without a new run", () => {
  const { result: stored } = entry({}, "mcp/a/1", "mcp/a/2", "mcp/a/3", "mcp/a/4", "mcp/a/5");
  const effects = ["disputed", "withdrawn", "accepts", "level"] as const;
  const errata = new Map(effects.map((effect, index) => {
    const erratum: Erratum = {
      id: `mcp-2025-11-25.1-e${index + 1}`,
      case: `mcp/a/${index + 1}`,
      effect,
      ...(effect === "level" ? { level: "SHOULD" } : {}),
      reason: "The specification allows both.",
      source: "https://example.org/spec",
      issue: "https://example.org/1",
      date: "2026-12-01",
      kit: "0.1.1",
    };
    return [erratum.case, erratum] as const;
  }));
  const { result, disputed } = applyErrata(stored, errata);
  assertEquals(result.red.map(({ id, level }) => [id, level]), [
    ["mcp/a/4", "SHOULD"],
    ["mcp/a/5", "MUST"],
  ]);
  assertEquals(disputed.map(({ id, erratum }) => [id, erratum.id]), [
    ["mcp/a/1", "mcp-2025-11-25.1-e1"],
    ["mcp/a/2", "mcp-2025-11-25.1-e2"],
    ["mcp/a/3", "mcp-2025-11-25.1-e3"],
  ]);
  assertEquals(applyErrata(stored, new Map()), { result: stored, disputed: [] });
});
