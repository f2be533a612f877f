import { assertEquals, assertStringIncludes } from "@std/assert";
import { exitCode, formatLastLine } from "../kit/counts.ts";
import type { Erratum } from "../kit/errata.ts";
import { readSuite } from "../kit/load_cases.ts";
import type { Report } from "../kit/report.ts";
import type { RequirementSet } from "../kit/requirement_set.ts";
import { compileSchema } from "../kit/schema.ts";
import { isFailure } from "../kit/verdict.ts";
import { formatAnnotations } from "../reporters/github.ts";
import { formatBadgeJson, formatBadgeSvg } from "../reporters/badge.ts";
import { formatHtml } from "../reporters/html/page.ts";
import { formatJson } from "../reporters/json.ts";
import { formatJunit } from "../reporters/junit.ts";
import { formatMarkdown } from "../reporters/markdown.ts";
import { formatResult } from "../reporters/text.ts";
import schema from "../schemas/report.schema.json" with { type: "json" };
import { setDigest, toSetCase } from "./case_digest.ts";
import { type RunOptions, runWithSets } from "./run.ts";

const DRIVER = new URL("../testdata/wayward_driver.ts", import.meta.url).pathname;

function vector(slug: string, more: object = {}): object {
  return {
    id: `comm/x/${slug}`,
    title: slug,
    level: "MUST",
    basis: "rfc8785",
    clauses: ["COMM-JCS-1"],
    why: "w",
    timing: { deadlineMs: 20_000 },
    op: "comm.echo",
    input: { text: "a" },
    expect: { ok: { text: "a" } },
    ...more,
  };
}

/** The driver returns its arguments, so it fails the cases that expect something else. */
const SUITE = readSuite(
  new Map([["f", {
    kit: 1,
    defaults: { source: "s", kind: "vector" },
    cases: [
      vector("right"),
      vector("wrong", { expect: { ok: { text: "b" } } }),
      vector("negative", { control: "comm/x/wrong" }),
    ],
  }]]),
);

const CASES = [...SUITE.values()].map(toSetCase).toSorted((a, b) => a.id < b.id ? -1 : 1);

const SET: RequirementSet = {
  name: "comm.1",
  format: 1,
  kit: "0.1.0",
  frozen: "2026-12-01",
  digest: setDigest("comm.1", CASES),
  cases: CASES,
};

const ERRATUM: Erratum = {
  id: "comm.1-e1",
  case: "comm/x/wrong",
  effect: "disputed",
  reason: "RFC 8785 allows both forms.",
  source: "https://www.rfc-editor.org/rfc/rfc8785",
  issue: "https://github.example/issues/1",
  date: "2026-12-20",
  kit: "0.1.1",
};

async function runWith(
  errata: readonly Erratum[],
  more: Partial<RunOptions> = {},
): Promise<Report> {
  return await runWithSets({
    subject: { driver: { command: ["deno", "run", DRIVER, "good"] } },
    suite: SUITE,
    select: { requirements: ["comm"] },
    ...more,
  }, { sets: [SET], errata: errata.length === 0 ? [] : [{ set: "comm.1", errata }] });
}

function verdicts(report: Report): Readonly<Record<string, string>> {
  return Object.fromEntries(
    report.results.map(({ id, verdict, state = "", isRequired }) => [
      id.replace("comm/x/", ""),
      [verdict, state, isRequired ? "required" : ""].filter(Boolean).join(" "),
    ]),
  );
}

Deno.test("run() applies an erratum to the case, and names it in the report", async () => {
  const accepts = [{ at: "/rows/0/expect/ok/text", value: "a" }];
  const ended = { date: "2027-01-02", reason: "RFC 8785 section 3.2 demands it." };
  const rows: readonly (readonly [readonly Erratum[], Readonly<Record<string, string>>, number])[] =
    [
      [[], { right: "pass required", wrong: "fail required", negative: "untestable required" }, 1],
      [[{ ...ERRATUM, ended }], {
        right: "pass required",
        wrong: "fail required",
        negative: "untestable required",
      }, 1],
      [[ERRATUM], {
        right: "pass required",
        wrong: "fail disputed",
        negative: "untestable required",
      }, 0],
      [[{ ...ERRATUM, effect: "withdrawn" }], {
        right: "pass required",
        negative: "untestable required",
      }, 0],
      [[{ ...ERRATUM, effect: "level", level: "SHOULD" }], {
        right: "pass required",
        wrong: "fail",
        negative: "untestable required",
      }, 0],
      [[{ ...ERRATUM, effect: "accepts", accepts }], {
        right: "pass required",
        wrong: "pass required",
        negative: "pass required",
      }, 0],
    ];
  for (const [errata, expected, code] of rows) {
    const report = await runWith(errata);
    const effect = errata[0]?.effect ?? "none";
    assertEquals([verdicts(report), exitCode(report)], [expected, code], effect);
    const isOpen = errata[0] !== undefined && errata[0].ended === undefined;
    assertEquals(report.errata?.map(({ id }) => id), isOpen ? ["comm.1-e1"] : undefined, effect);
    const wrong = report.results.find(({ id }) => id === "comm/x/wrong");
    const isNamed = isOpen && effect !== "withdrawn";
    assertEquals(wrong?.erratum?.id, isNamed ? "comm.1-e1" : undefined, effect);
    const digest = CASES.find(({ id }) => id === "comm/x/wrong")?.digest;
    if (wrong !== undefined) assertEquals(wrong.rev, digest?.slice(0, 8), effect);
    assertEquals(compileSchema(schema)(JSON.parse(formatJson(report))), undefined, effect);
  }
});

Deno.test("run() applies the errata of the newest set also without a set, and to a draft", async () => {
  for (const requirements of [[], ["comm.draft"]]) {
    const report = await runWith([ERRATUM], { select: { requirements } });
    assertEquals(verdicts(report).wrong, "fail disputed");
  }
  const other = readSuite(
    new Map([["f", {
      kit: 1,
      defaults: { source: "s", kind: "vector" },
      cases: [vector("wrong", { expect: { ok: { text: "c" } } })],
    }]]),
  );
  const changed = await runWith([ERRATUM], { select: {}, suite: other });
  assertEquals(verdicts(changed), { wrong: "fail required" });
});

Deno.test("a strict run does not count a case as failed whose control is disputed", async () => {
  const count = ({ results }: Report): number =>
    results.filter((each) => isFailure(each) && each.isRequired).length;
  assertEquals(count(await runWith([], { isStrict: true })), 2);
  assertEquals(count(await runWith([ERRATUM], { isStrict: true })), 0);
  const withdrawn = { ...ERRATUM, effect: "withdrawn" } as const;
  assertEquals(count(await runWith([withdrawn], { isStrict: true })), 0);
});

Deno.test("a baseline entry for a disputed case is neither used nor stale", async () => {
  const entries = [{ id: "comm/x/wrong" }];
  const failing = await runWith([], { baseline: { entries } });
  assertEquals(verdicts(failing).wrong, "known required");
  const disputed = await runWith([ERRATUM], { baseline: { entries } });
  assertEquals([verdicts(disputed).wrong, disputed.stale], ["fail disputed", []]);
});

Deno.test("no report format shows a disputed case as a failure", async () => {
  const report = await runWith([ERRATUM]);
  const disputed = report.results.find(({ id }) => id === "comm/x/wrong");
  if (disputed === undefined) throw new RangeError("comm/x/wrong");
  const state = "disputed (comm.1-e1): RFC 8785 allows both forms.";
  assertEquals(
    formatResult(disputed, { program: "parley-kit", again: "run", colors: false, trace: false }),
    `~ comm/x/wrong ${state}\n    verdict   fail\n`,
  );
  assertEquals(
    formatLastLine(report),
    "MUST 1 passed, 0 failed; SHOULD 0 passed, 0 failed; not counted 1; not run 0; n/a 0; " +
      `untestable 1 (comm.1, digest ${SET.digest.slice(0, 8)}, 1 erratum)`,
  );
  const junit = formatJunit(report);
  assertStringIncludes(junit, 'tests="3" failures="0" errors="0" skipped="2"');
  assertStringIncludes(junit, `<skipped message="${state}; fail: `);
  const markdown = formatMarkdown(report);
  assertStringIncludes(markdown, `- \`comm/x/wrong\` ${state}: not met`);
  assertEquals(markdown.includes("### Not met") || markdown.includes("### Failures"), false);
  const page = formatHtml(report, { suite: SUITE, again: "run" });
  assertStringIncludes(page, `<code>comm/x/wrong</code> ${state}: not met`);
  assertStringIncludes(page, '<a href="https://github.example/issues/1">issue</a>');
  assertEquals(page.includes('id="case-comm.x.wrong"'), false);
  assertStringIncludes(formatBadgeSvg(report), "1/2 MUST, with 1 erratum</title>");
  assertEquals(JSON.parse(formatBadgeJson(report)).message, "1/2 MUST");
  assertStringIncludes(formatAnnotations(report), `::notice title=comm/x/wrong::${state}`);
});
