import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { countResults, exitCode } from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";
import type { CaseResult, Verdict } from "../kit/verdict.ts";
import { formatHtml } from "./html/page.ts";
import { formatJson } from "./json.ts";
import { formatJunit } from "./junit.ts";
import { formatMarkdown } from "./markdown.ts";
import { formatResult, formatSummary, type TextOptions } from "./text.ts";

function result(id: string, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult {
  return {
    id,
    title: `The title of ${id}`,
    rev: "00000000",
    verdict,
    level: "MUST",
    isRequired: true,
    ms: 12,
    ...more,
  };
}

const REPORT: Report = {
  report: 2,
  kit: "0.1.0",
  subjects: [{ name: "mine <x>", version: "2" }],
  startedAt: "2026-01-02T03:04:05.678Z",
  ms: 1500,
  results: [
    result("comm/a/good", "pass"),
    result("comm/a/bad", "fail", {
      sent: "x".repeat(500),
      expected: '"1"',
      got: 'a "<&>" \u0007\nb',
      stderr: "first\nlast",
      trace: ["1 ms → {}"],
    }),
    result("mcp/b/maybe", "fail", { level: "SHOULD", isRequired: false, transport: "stdio" }),
    result("mcp/b/out", "n/a", { note: "the capability tools is not declared" }),
    result("mcp/b/lack", "untestable", { note: "the server has no fixture tool:x" }),
    result("mcp/b/old", "known", { got: "3" }),
  ],
  stale: [{ id: "comm/a/good", reason: "comm/a/good passes" }],
  isInterrupted: false,
};

const TEXT = { program: "parley-kit", again: "parley-kit run --only", colors: false, trace: false };

function formatText(report: Report, options: TextOptions): string {
  return report.results.map((each) => formatResult(each, options)).join("") +
    formatSummary(report);
}

Deno.test("the terminal output replaces control characters in names and reasons", () => {
  const text = formatText({
    ...REPORT,
    subjects: [{ name: "\x1b[31mr\u202eed", version: "1\r" }],
    results: [result("comm/a/lack", "untestable", { note: "no \x1b[2Jtool" })],
  }, TEXT);
  assertStringIncludes(text, "- 1 untestable: no \\u{1b}[2Jtool\n");
  assertStringIncludes(text, "\n\\u{1b}[31mr\\u{202e}ed 1\\u{d}: 1 case in");
});

Deno.test("the terminal output contains failures, reasons and counts, but no passed cases", () => {
  const text = formatText(REPORT, TEXT);
  const words = [
    "✗ comm/a/bad  MUST\n",
    '    got       a "<&>" \\u{7}⏎b\n',
    "    stderr    last\n",
    "    again     parley-kit run --only comm/a/bad\n",
    "~ mcp/b/maybe  SHOULD  (stdio)\n",
    "! baseline entry comm/a/good is stale: comm/a/good passes\n",
    "- 1 n/a: the capability tools is not declared\n",
    "mine <x> 2: 6 cases in 1.5 s\n",
  ];
  for (const word of words) assertStringIncludes(text, word);
  assert(
    text.endsWith(
      "\nMUST 1 passed, 1 failed; SHOULD 0 passed, 1 failed; known 1; stale 1; not run 0; n/a 1; untestable 1\n",
    ),
    text,
  );
  assert(!text.includes("1 ms →") && !text.includes("\x1b["));
  assert(text.split("\n").every((each) => each.length < 450));
  assertStringIncludes(formatText(REPORT, { ...TEXT, trace: true }), "      1 ms → {}\n");
  assertStringIncludes(formatText(REPORT, { ...TEXT, colors: true }), "\x1b[31m✗\x1b[0m");
});

Deno.test("a decision of this project is a difference, not a failure, if the run has a profile", () => {
  const decision = {
    profile: "parley",
    isDifference: true,
    isRequired: false,
  } as const;
  const report: Report = {
    ...REPORT,
    profile: "all",
    stale: [],
    results: [
      result("runtime/wire-a/good", "pass"),
      result("runtime/wire-a/bad", "fail"),
      result("runtime/a/order", "fail", decision),
      result("runtime/a/same", "pass", decision),
    ],
  };
  const text = formatText(report, TEXT);
  assertStringIncludes(text, "differences from Parley, on points that no contract determines:\n");
  assertStringIncludes(text, "≠ runtime/a/order  ");
  assertEquals(text.includes("✗ runtime/a/order"), false);
  assertStringIncludes(text, "\ncore 1 of 2 MUST, 0 of 0 SHOULD\n");
  assertStringIncludes(text, "; decisions 1 as Parley, 1 different; ");
  assertStringIncludes(formatMarkdown(report), "### Differences from Parley\n");
  assertStringIncludes(
    formatHtml(report, { suite: new Map(), again: "" }),
    "Differences from Parley",
  );
});

Deno.test("formatSummary() prints the number of cases that were not run instead of listing them", () => {
  const note = "the run was interrupted";
  const results = [
    result("comm/a/b", "not_run", { note }),
    result("comm/a/c", "not_run", { note }),
  ];
  const text = formatText({ ...REPORT, results, stale: [], isInterrupted: true }, TEXT);
  assertEquals(
    text,
    "- 2 not_run: the run was interrupted\nmine <x> 2: 2 cases in 1.5 s, interrupted\n" +
      "MUST 0 passed, 0 failed; SHOULD 0 passed, 0 failed; not run 2; n/a 0; untestable 0\n",
  );
  const [one] = results;
  assert(one !== undefined);
  assertStringIncludes(formatText({ ...REPORT, results: [one] }, TEXT), ": 1 case in 1.5 s");
});

Deno.test("formatSummary() groups reasons that differ only in names", () => {
  const lacking = (name: string, index: number): CaseResult =>
    result(`mcp/b/${name}-${index}`, "n/a", { note: `the capability "${name}" is not declared` });
  const results = [
    ...[1, 2].map((index) => lacking("prompts", index)),
    ...[1, 2, 3].map((index) => lacking("tools", index)),
    result("mcp/b/old", "n/a", { note: "the case does not apply to protocol version 1" }),
    ...Array.from(
      { length: 10 },
      (_, index) => result(`comm/a/${index}`, "untestable", { note: `no operation "op.${index}"` }),
    ),
  ];
  const lines = formatSummary({ ...REPORT, results, stale: [] }).split("\n");
  assertEquals(lines.slice(0, 3), [
    '- 5 n/a: the capability "…" is not declared: tools 3, prompts 2',
    "- 1 n/a: the case does not apply to protocol version 1",
    '- 10 untestable: no operation "…": op.0 1, op.1 1, op.2 1, op.3 1, op.4 1, op.5 1, op.6 1, op.7 1, and 2 others',
  ]);
});

Deno.test("all formats list the fixtures that a server lacks, by the cases that they make testable", () => {
  const lacking = (id: string, ...missingFixtures: readonly string[]): CaseResult =>
    result(id, "untestable", { note: "the server has no fixture", missingFixtures });
  const results = [
    lacking("mcp/b/1", "tool:one"),
    lacking("mcp/b/2", "resource:test://two"),
    lacking("mcp/b/3", "tool:one"),
    lacking("mcp/b/4", "tool:three", "tool:four"),
    lacking("mcp/b/5", "tool:one", "resource:test://two"),
  ];
  const report = { ...REPORT, results, stale: [] };
  assertEquals(formatSummary(report).split("\n").slice(0, 4), [
    "- 5 untestable: the server lacks fixtures",
    "    hint      add these to run 5 more cases; PROTOCOL.md describes all fixtures",
    "    tools     one 2, four + three 1",
    "    resources test://two 2",
  ]);
  assertEquals(JSON.parse(formatJson(report)).missingFixtures, [
    { fixtures: ["tool:one"], cases: 2 },
    { fixtures: ["resource:test://two"], cases: 2 },
    { fixtures: ["tool:four", "tool:three"], cases: 1 },
  ]);
  assertStringIncludes(
    formatMarkdown(report),
    "\nAdd these fixtures to run 5 more cases: `tool:one` 2, `resource:test://two` 2, `tool:four` + `tool:three` 1\n",
  );
  const strict = results.map((each) => ({ ...each, countsAsFailure: true as const }));
  assertStringIncludes(
    formatSummary({ ...report, results: strict }),
    "✗ 5 untestable: the server lacks fixtures, for example mcp/b/1\n    hint ",
  );
});

Deno.test("formatSummary() names the control to correct first if cases are untestable because of the control", () => {
  const lost = { note: "the control did not pass", failedControl: "comm/a/bad" };
  const results = [
    result("comm/a/bad", "fail"),
    result("comm/a/x", "untestable", lost),
    result("comm/a/y", "untestable", lost),
  ];
  assertStringIncludes(
    formatText({ ...REPORT, results }, TEXT),
    "\n- 2 untestable: the control did not pass\n    hint      first make comm/a/bad pass: ",
  );
});

Deno.test("formatJunit() returns well-formed XML with failures and skipped cases", () => {
  const xml = formatJunit(REPORT);
  const words = [
    'tests="7" failures="2" errors="0" skipped="3"',
    '<testsuite name="comm/a" tests="2" failures="1" errors="0" skipped="0">',
    '<failure type="level=MUST" message="fail: a &quot;&lt;&amp;&gt;&quot; \ufffd&#10;b">',
    '<testcase name="mcp/b/maybe (stdio)"',
    '<skipped message="n/a: the capability tools is not declared"/>',
    '<failure type="stale" message="comm/a/good passes"/>',
    "<system-out>SHOULD not met: fail</system-out>",
    "<system-out>1 ms → {}</system-out>",
  ];
  for (const word of words) assertStringIncludes(xml, word);
  const opened = [...xml.matchAll(/<([\w-]+)(?: [^>]*[^/])?>/g)].map(([, name]) => name);
  const closed = [...xml.matchAll(/<\/([\w-]+)>/g)].map(([, name]) => name);
  assertEquals(opened.toSorted(), closed.toSorted());
  assertEquals(xml.match(/<testcase /g)?.length, 7);
  assertEquals(xml.match(/<failure /g)?.length, 2);
  assertEquals(xml.match(/<skipped /g)?.length, 3);
});

Deno.test("every report format shows an untestable required case in a strict run, which does not succeed", () => {
  const note = "the driver does not implement the operation comm.none";
  const results = [
    result("comm/a/good", "pass"),
    result("comm/a/lack", "untestable", { note, countsAsFailure: true }),
  ];
  const report = { ...REPORT, results, stale: [] };
  assertStringIncludes(
    formatText(report, TEXT),
    `✗ 1 untestable: ${note}, for example comm/a/lack\n`,
  );
  assert(
    formatSummary(report).endsWith(
      "\nMUST 1 passed, 0 failed; SHOULD 0 passed, 0 failed; not run 0; n/a 0; untestable 1\n",
    ),
  );
  assertStringIncludes(formatJunit(report), `<error message="untestable: ${note}">`);
  assertStringIncludes(formatJunit(report), 'tests="2" failures="0" errors="1" skipped="0"');
  assertStringIncludes(
    formatMarkdown(report),
    "| comm | MUST | 1 | 0 failed | 0 | 0 | 0 | 1 | 0 |",
  );
  assertStringIncludes(formatMarkdown(report), "### Required, but untestable\n");
  assertStringIncludes(formatMarkdown(report), "| `comm/a/lack` | MUST | untestable: the driver");
  const page = formatHtml(report, { suite: new Map(), again: "run" }).replace(/\s+/g, " ");
  assertStringIncludes(
    page,
    '<b class="bad">1 of 1 tested required case passed.</b> Required, but untestable: 1 case.',
  );
  assertEquals(exitCode(report), 1);
});

Deno.test("formatMarkdown() prints counts per library and level, and escapes table cells", () => {
  const text = formatMarkdown(REPORT);
  assertStringIncludes(text, "| comm | MUST | 1 | 1 failed | 0 | 0 | 0 | 0 | 0 |");
  assertStringIncludes(text, "| mcp | MUST | 0 | 0 failed | 1 | 0 | 1 | 1 | 0 |");
  assertStringIncludes(text, "| mcp | SHOULD | 0 | 1 not met | 0 | 0 | 0 | 0 | 0 |");
  assertStringIncludes(text, "| `mcp/b/maybe` (stdio) | SHOULD | not met |");
  assertStringIncludes(text, '| `comm/a/bad` | MUST | fail: a "\\<&\\>"');
  assertStringIncludes(text, "## Conformance of mine \\<x\\> 2");
});

Deno.test("formatJson() returns the complete report and its counts as JSON", () => {
  const { counts, ...report } = JSON.parse(formatJson(REPORT));
  assertEquals(report, REPORT);
  assertEquals(counts, countResults(REPORT));
});

Deno.test("exitCode() returns different codes for failures, kit errors, empty runs and interrupted runs", () => {
  const only = (...results: readonly CaseResult[]): Report => ({ ...REPORT, results, stale: [] });
  const good = result("comm/a/a", "pass");
  assertEquals(exitCode(REPORT), 1);
  assertEquals(exitCode(only(good)), 0);
  assertEquals(exitCode(only(result("comm/a/a", "known"))), 0);
  assertEquals(exitCode(only(good, result("comm/a/b", "not_run"))), 1);
  assertEquals(exitCode(only(good, result("comm/a/b", "kit_fault"))), 3);
  assertEquals(
    exitCode(only(good, result("comm/a/b", "not_run", { level: "SHOULD", isRequired: false }))),
    0,
  );
  assertEquals(exitCode(only(result("comm/a/a", "untestable"))), 4);
  assertEquals(exitCode({ ...REPORT, isInterrupted: true }), 130);
  assertEquals(countResults(only(good)).must.passed, 1);
});

Deno.test("the command that repeats an invariant also selects the first cases that provoked it", () => {
  const provokedBy = ["comm/a/b", "comm/a/c", "comm/a/d", "comm/a/e"];
  const text = formatText(
    { ...REPORT, results: [result("comm/a/rule", "fail", { provokedBy })] },
    TEXT,
  );
  const ids = "comm/a/rule --only comm/a/b --only comm/a/c --only comm/a/d";
  assertStringIncludes(text, `    again     parley-kit run --only ${ids}\n`);
});
