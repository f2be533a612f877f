import { assert, assertEquals } from "@std/assert";
import { countResults, exitCode, formatLastLine, groupOf } from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";
import type { CaseResult, Verdict } from "../kit/verdict.ts";
import { formatBadgeJson, formatBadgeSvg } from "./badge.ts";
import { formatAnnotations } from "./github.ts";
import { formatHtml } from "./html/page.ts";
import { formatJson } from "./json.ts";
import { formatJunit } from "./junit.ts";
import { formatMarkdown } from "./markdown.ts";
import { formatResult, formatSummary } from "./text.ts";

type Outcome =
  | "passed"
  | "failed"
  | "known"
  | "notRun"
  | "notApplicable"
  | "untestable"
  | "kitFaults";
type Group = "must" | "should" | "optional" | "differences" | "uncounted";
type Numbers = Readonly<Record<Outcome, number>>;

/**
 * Number of results of each group, for each verdict. The groups are in the order of
 * {@linkcode Group}.
 */
const ROWS: readonly (readonly [Verdict, ...counts: readonly number[]])[] = [
  ["pass", 5, 3, 2, 1, 2],
  ["fail", 2, 1, 4, 2, 3],
  ["crash", 1, 0, 1, 0, 1],
  ["hang", 1, 1, 0, 1, 0],
  ["noise", 0, 1, 1, 0, 0],
  ["known", 1, 2, 0, 0, 0],
  ["known_flaky", 1, 0, 1, 0, 0],
  ["not_run", 3, 1, 2, 1, 0],
  ["n/a", 4, 2, 1, 0, 1],
  ["untestable", 2, 3, 1, 0, 1],
  ["kit_fault", 1, 1, 0, 0, 1],
];

/** Sums of the rows above, calculated by hand. */
const GROUPS: Readonly<Record<Group, Numbers>> = {
  must: numbers(5, 4, 2, 3, 4, 2, 1),
  should: numbers(3, 3, 2, 1, 2, 3, 1),
  optional: numbers(2, 6, 1, 2, 1, 1, 0),
  differences: numbers(1, 3, 0, 1, 0, 0, 0),
  uncounted: numbers(2, 4, 0, 0, 1, 1, 1),
};
const LAST_LINE = "MUST 5 passed, 4 failed; SHOULD 3 passed, 3 failed; " +
  "optional 2 passed, 6 failed; decisions 1 as Parley, 3 different; not counted 6; known 5; " +
  "kit faults 3; stale 1; not run 7; n/a 8; untestable 7 (set-1, digest 3f2a91c0)";

function numbers(...counts: readonly number[]): Numbers {
  const [passed = 0, failed = 0, known = 0, notRun = 0, ...others] = counts;
  const [notApplicable = 0, untestable = 0, kitFaults = 0] = others;
  return { passed, failed, known, notRun, notApplicable, untestable, kitFaults };
}

/** Optional cases: the levels MAY and INFO, and MUST cases that are not required. */
const OPTIONAL_LEVELS = ["MAY", "INFO", "MUST"] as const;

const DIFFERENCE = { level: "MUST", isRequired: false, isDifference: true } as const;

function createReport(isStrict: boolean): Report {
  const results = ROWS.flatMap((
    [verdict, must = 0, should = 0, other = 0, difference = 0, off = 0],
  ) => [
    ...repeat(must, () => ({ verdict, level: "MUST", isRequired: true } as const)),
    ...repeat(should, () => ({ verdict, level: "SHOULD", isRequired: isStrict } as const)),
    ...repeat(other, (index) => ({
      verdict,
      level: OPTIONAL_LEVELS[index % 3] ?? "MAY",
      isRequired: false,
    })),
    ...repeat(difference, () => ({ ...DIFFERENCE, verdict })),
    ...repeat(off, (index) => ({
      verdict,
      level: "MUST" as const,
      isRequired: false,
      state: index % 2 === 0 ? "disputed" as const : "proposed" as const,
    })),
  ]).map((each, index): CaseResult => ({
    id: `${index % 2 === 0 ? "comm" : "mcp"}/area-${index % 5}/case-${index}`,
    title: `Title ${index}`,
    rev: "00000000",
    ms: 1,
    note: `reason ${index % 3}`,
    ...each,
  }));
  return {
    report: 2,
    kit: "0.1.0",
    subjects: [{ name: "mine", version: "2" }],
    requirements: [{ name: "set-1", digest: "3f2a91c0".repeat(8), cases: 9 }],
    startedAt: "2026-01-02T03:04:05.678Z",
    ms: 1500,
    results,
    stale: [{ id: "comm/a/good", reason: "comm/a/good passes" }],
    isInterrupted: false,
  };
}

function repeat<T>(count: number, create: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => create(index));
}

function matches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function textOf(report: Report): string {
  const options = { program: "parley-kit", again: "run", colors: false, trace: false };
  return report.results.map((each) => formatResult(each, options)).join("") +
    formatSummary(report);
}

function htmlOf(report: Report): string {
  return formatHtml(report, { suite: new Map(), again: "run" }).replace(/\s+/g, " ");
}

/** Reads the numbers of each group from the properties of the test cases. */
function readJunit(xml: string): Readonly<Record<Group, Numbers>> {
  const count = (group: Group): Numbers => {
    const of = (outcome: Outcome): number =>
      matches(xml, new RegExp(`name="counted" value="${group}\\.${outcome}"`, "g"));
    return {
      passed: of("passed"),
      failed: of("failed"),
      known: of("known"),
      notRun: of("notRun"),
      notApplicable: of("notApplicable"),
      untestable: of("untestable"),
      kitFaults: of("kitFaults"),
    };
  };
  return {
    must: count("must"),
    should: count("should"),
    optional: count("optional"),
    differences: count("differences"),
    uncounted: count("uncounted"),
  };
}

/** Reads the numbers of each group from the table by library and level. */
function readMarkdown(text: string): Readonly<Record<string, readonly number[]>> {
  const sums: Record<string, readonly number[]> = {};
  for (const line of text.split("\n")) {
    const [library = "", level = "", ...cells] = line.split("|").slice(1, -1).map((s) => s.trim());
    if (library !== "comm" && library !== "mcp") continue;
    const numbers = cells.map((cell) => Number.parseInt(cell));
    sums[level] = numbers.map((each, index) => each + (sums[level]?.[index] ?? 0));
  }
  return sums;
}

function toCells({ passed, failed, known, notRun, notApplicable, untestable, kitFaults }: Numbers) {
  return [passed, failed, known, notRun, notApplicable, untestable, kitFaults];
}

Deno.test("countResults() counts each result once, in the group of its level", () => {
  const { required, all, stale, retriedControls: _, ...groups } = countResults(createReport(false));
  assertEquals(groups, GROUPS);
  assertEquals(required, GROUPS.must);
  assertEquals(stale, 1);
  assertEquals(toCells(all), [13, 20, 5, 7, 8, 7, 3]);
  assertEquals(toCells(countResults(createReport(true)).required), [8, 7, 4, 4, 6, 5, 2]);
});

Deno.test("all report formats contain the same numbers", () => {
  const report = createReport(false);
  assertEquals(formatLastLine(report), LAST_LINE);

  const text = textOf(report);
  assert(text.endsWith(`\n${LAST_LINE}\n`), text);
  // Failures and errors of the kit are printed with a mark, red if they fail the run.
  // Disputed cases are printed whatever their verdict: 1 passed, 3 failed, and 1 error of the kit.
  assertEquals([matches(text, /^✗ /gm), matches(text, /^~ /gm)], [4 + 1, 3 + 1 + 6 + 5 + 1]);
  assertEquals(matches(text, /^≠ /gm), 3);

  const json = JSON.parse(formatJson(report));
  assertEquals(json.counts, countResults(report));
  assertEquals(json.results.length, 63);

  const xml = formatJunit(report);
  assertEquals(readJunit(xml), GROUPS);
  assertEquals(matches(xml, /<failure /g), 4 + 1);
  assertEquals(matches(xml, /<error /g), 3 + 1);
  assertEquals(matches(xml, /<skipped /g), 5 + 7 + 8 + 7 + 4);
  assertEquals(matches(xml, /<system-out>/g), 3 + 6 + 3);
  assert(xml.includes('tests="65" failures="5" errors="4" skipped="31"'), xml.slice(0, 300));

  const markdown = formatMarkdown(report);
  const notMet = LAST_LINE.replace("3 failed; optional", "3 not met; optional")
    .replace("6 failed", "6 not met");
  assert(markdown.includes(`**${notMet}**`), markdown);
  assertEquals(readMarkdown(markdown), {
    MUST: toCells(GROUPS.must),
    SHOULD: toCells(GROUPS.should),
    optional: toCells(GROUPS.optional),
    "decisions of Parley": toCells(GROUPS.differences),
    "not counted": toCells(GROUPS.uncounted),
  });

  const page = htmlOf(report);
  const facts = [...page.matchAll(/<li><b>([^<]+)<\/b><\/li>/g)].map(([, fact]) => fact);
  assertEquals(`${facts.join("; ")} (set-1, digest 3f2a91c0)`, notMet);
  assert(page.includes("4 of 11 tested required cases failed."), page);
  assertEquals(matches(page, /<article class="case"/g), 4 + 1);
  assertEquals(matches(page, /<article class="case known"/g), 3 + 1 + 6 + 3 + 5);

  assertEquals(JSON.parse(formatBadgeJson(report)).message, "5/17 MUST");
  assert(formatBadgeSvg(report).includes("5/17 MUST"));

  const lines = formatAnnotations(report).trimEnd().split("\n");
  assertEquals(lines.at(-1), `::notice title=parley-kit::${LAST_LINE}`);
  const severities = lines.slice(0, -1).map((line) => line.split(" ")[0]);
  assertEquals(severities.filter((each) => each === "::error").length, 4 + 1 + 1 + 1);
  assertEquals(severities.filter((each) => each === "::warning").length, 3 + 1);
  assertEquals(severities.filter((each) => each === "::notice").length, 6 + 3 + 5);
});

Deno.test("a strict run counts failed SHOULD cases as failures in all formats", () => {
  const report = createReport(true);
  const xml = formatJunit(report);
  assertEquals(matches(xml, /<failure type="level=SHOULD" /g), 3);
  assertEquals(matches(xml, /<failure type="level=MUST" /g), 4);
  assertEquals(matches(xml, /<system-out>/g), 6 + 3);
  assertEquals(matches(textOf(report), /^✗ /gm), 7 + 2);
  assertEquals(matches(htmlOf(report), /<article class="case"/g), 7 + 2);
  assert(htmlOf(report).includes("<b>SHOULD 3 passed, 3 failed</b>"));
  assert(
    formatMarkdown(report).includes("SHOULD 3 passed, 3 failed; optional 2 passed, 6 not met"),
  );
  assertEquals(JSON.parse(formatBadgeJson(report)).message, "8/30 MUST and SHOULD");
});

Deno.test("no format for readers calls a case that is not required failed or red", () => {
  const { results, ...head } = createReport(false);
  const left = results.filter(({ verdict, isRequired }) =>
    verdict === "pass" || (verdict === "fail" && !isRequired)
  ).map((each) => ({ ...each, note: "different" }));
  const report = { ...head, results: left, stale: [] };
  assertEquals(exitCode(report), 0);
  const page = htmlOf(report);
  const body = page.slice(page.indexOf("<body>"), page.indexOf("<footer>"));
  for (const text of [formatMarkdown(report), body]) {
    assertEquals(
      matches(text.replaceAll("MUST 5 passed, 0 failed", ""), /fail/gi),
      matches(text, /\| 0 failed \|/g),
      text,
    );
  }
  assertEquals(matches(body, /class="bad"/g), 0);
  assert(body.includes("5 of 5 tested required cases passed."), body);
});

Deno.test("a run that ended early is not a success in any format, and its cases did not fail", () => {
  const { results, ...head } = createReport(false);
  const left = results.filter(({ verdict }) => verdict === "pass" || verdict === "not_run");
  const bailed = { ...head, results: left, stale: [] };
  for (const report of [bailed, { ...bailed, isInterrupted: true }]) {
    assertEquals(exitCode(report), report.isInterrupted ? 130 : 1);
    assert(
      formatLastLine(report).startsWith("MUST 5 passed, 0 failed; SHOULD 3 passed, 0 failed;"),
    );
    assert(formatLastLine(report).includes("; not run 7;"));
    assertEquals(JSON.parse(formatBadgeJson(report)).isError, true);
    const xml = formatJunit(report);
    assertEquals([matches(xml, /<failure /g), matches(xml, /<error /g)], [0, 1]);
    assert(xml.includes("3 required cases not run"), xml);
    assert(htmlOf(report).includes("3 required cases not run"));
    assert(formatAnnotations(report).includes("::error title=parley-kit::"));
  }
});

Deno.test("groupOf() separates cases whose results do not count, whatever their level", () => {
  const result: CaseResult = {
    id: "comm/a/b",
    title: "t",
    rev: "00000000",
    level: "SHOULD",
    isRequired: false,
    ms: 1,
    verdict: "fail",
  };
  assertEquals(groupOf(result), "should");
  assertEquals(groupOf({ ...result, state: "proposed" }), "uncounted");
  assertEquals(groupOf({ ...result, level: "MUST", state: "disputed" }), "uncounted");
});
