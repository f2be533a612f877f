import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { KitError } from "../kit/error.ts";
import { readSuite, type Suite } from "../kit/load_cases.ts";
import { updateBaseline } from "../kit/baseline.ts";
import { countResults, exitCode, formatLastLine } from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";
import type { CaseResult } from "../kit/verdict.ts";
import { formatSummary } from "../reporters/text.ts";
import { run, type RunOptions } from "./run.ts";

const DRIVER = new URL("../testdata/wayward_driver.ts", import.meta.url).pathname;

function header(slug: string): object {
  return {
    id: `comm/x/${slug}`,
    title: slug,
    level: "MUST",
    basis: "spec",
    clauses: ["COMM-X-1"],
    why: "w",
    // A long timeout prevents test failures on a busy machine.
    timing: { deadlineMs: 20_000 },
  };
}

function vector(slug: string, more: object = {}): object {
  return {
    ...header(slug),
    kind: "vector",
    op: "comm.echo",
    input: { a: 1 },
    expect: { ok: { a: 1 } },
    ...more,
  };
}

function suite(...cases: readonly object[]): Suite {
  return readSuite(new Map([["f", { kit: 1, defaults: { source: "s" }, cases }]]));
}

/** A suite in which only the second of three cases triggers the driver's fault. */
const THREE = suite(
  vector("before"),
  vector("trouble", { input: { a: 1, trouble: true } }),
  vector("after"),
);

/** The cases of `THREE`, with a short timeout for drivers that never respond. */
const HASTY = suite(
  vector("before"),
  vector("trouble", { input: { a: 1, trouble: true }, timing: { deadlineMs: 300 } }),
  vector("after"),
);

async function runMode(mode: string, more: Partial<RunOptions> = {}): Promise<Report> {
  return await run({
    subject: { driver: { command: ["deno", "run", DRIVER, mode] } },
    suite: THREE,
    ...more,
  });
}

function verdicts(report: Report): readonly string[] {
  return report.results.map(({ verdict }) => verdict);
}

function troubleIn({ results }: Report): CaseResult {
  const found = results.find(({ id }) => id === "comm/x/trouble");
  assert(found !== undefined);
  return found;
}

/** Last line of a run without SHOULD cases. */
function lastLine(must: string, untestable = 0): string {
  return `${must}; SHOULD 0 passed, 0 failed; not run 0; n/a 0; untestable ${untestable}`;
}

Deno.test("run() passes all cases if the driver follows the protocol", async () => {
  const reported: string[] = [];
  const report = await runMode("good", { onResult: ({ id }) => reported.push(id) });
  assertEquals(verdicts(report), ["pass", "pass", "pass"]);
  assertEquals(reported, ["comm/x/before", "comm/x/trouble", "comm/x/after"]);
  assertEquals(report.subjects, [{ name: "wayward good", version: "1" }]);
  assertEquals(formatLastLine(report), lastLine("MUST 3 passed, 0 failed"));
  assertEquals(exitCode(report), 0);
});

const TROUBLES: readonly (readonly [mode: string, verdict: string, word: string])[] = [
  ["crash", "crash", "exited with code 7"],
  ["hang", "hang", "no response"],
  ["rubbish", "noise", "loading model"],
  ["flood", "noise", "not a JSON object: y"],
  ["long-line", "noise", "a line of more than"],
  ["twice", "noise", "wrote a result of operation"],
  ["stray", "noise", "wrote a result of operation 100"],
  ["fault", "fail", "an unexpected exception: boom"],
  ["unsupported", "untestable", "not in this library"],
  ["no-kind", "hang", "without exactly one of ok"],
];

for (const [mode, verdict, word] of TROUBLES) {
  Deno.test(`after the driver fault "${mode}", run() reports "${verdict}" and continues with the remaining cases`, async () => {
    const report = await runMode(mode, { suite: verdict === "hang" ? HASTY : THREE });
    assertEquals(verdicts(report), ["pass", verdict, "pass"]);
    const { got = "", note = "" } = troubleIn(report);
    assertStringIncludes(`${got} ${note}`, word);
    assertEquals(exitCode(report), verdict === "untestable" ? 0 : 1);
  });
}

const ROWS = suite({
  ...header("trouble"),
  kind: "vector",
  op: "comm.echo",
  rows: [
    { name: "first", input: { a: 1 }, expect: { ok: { a: 1 } } },
    { name: "second", input: { a: 1 }, expect: { ok: { a: 2 } } },
    { name: "third", input: { a: 1, trouble: true }, expect: { ok: { a: 1 } } },
    { name: "fourth", input: { a: 1 }, expect: { ok: { a: 3 } } },
  ],
});

const FAILED_ROWS: readonly (readonly [mode: string, CaseResult["verdict"], note: string])[] = [
  ["good", "fail", 'row 2 of 4, "second"; 2 rows failed: "second", "fourth"'],
  ["fault", "fail", 'row 2 of 4, "second"; 3 rows failed: "second", "third", "fourth"'],
  ["crash", "crash", 'row 3 of 4, "third"; 2 rows failed: "second", "third"'],
  ["unsupported", "fail", 'row 2 of 4, "second"'],
];

for (const [mode, verdict, note] of FAILED_ROWS) {
  Deno.test(`run() reports all rows that do not match, for the driver fault "${mode}"`, async () => {
    const result = troubleIn(await runMode(mode, { suite: ROWS }));
    assertEquals(result.verdict, verdict);
    assertEquals(result.note, note);
    const { failedRows = [] } = result;
    assertEquals(failedRows.map((name) => `"${name}"`).join(", "), note.match(/"[^:]*$/)?.[0]);
  });
}

Deno.test("run() rejects unknown names of options and of the selection before it starts the subject", async () => {
  const table: readonly (readonly [object, string])[] = [
    [{ isstrict: true }, 'Cannot read "options": it has no option "isstrict"'],
    [{ select: { onyl: ["comm/**"] } }, 'Cannot read "select": it has no option "onyl"'],
  ];
  for (const [more, message] of table) {
    const options: RunOptions = { subject: { driver: { command: ["nowhere"] } } };
    const error = await assertRejects(() => run({ ...options, ...more }), KitError, message);
    assertEquals(error.code, "usage");
  }
});

Deno.test("run() accepts a value or an error if a case allows both, and nothing else", async () => {
  const expect = { ok: { a: 1 }, error: { code: "odd" } };
  const either = suite(vector("trouble", { input: { a: 1, trouble: true }, expect }));
  const modes = ["good", "refuse", "fault"];
  const reports = await Promise.all(modes.map((mode) => runMode(mode, { suite: either })));
  assertEquals(reports.flatMap(verdicts), ["pass", "pass", "fail"]);
});

Deno.test("run() adds the messages between the kit and the driver to a failed result", async () => {
  const { trace = [] } = troubleIn(await runMode("fault"));
  assert(trace.some((line) => line.includes('→ {"type":"op"')), trace.join("\n"));
  assert(trace.some((line) => line.includes('← {"type":"result"')), trace.join("\n"));
});

Deno.test("run() rejects if the driver does not start, sends no hello, exits or uses another protocol version", async () => {
  const refused: readonly (readonly [string, number, string])[] = [
    ["no-hello", 0.01, "no hello within 600 ms (is its standard output flushed"],
    ["exit-first", 1, "exited with code 7 before its hello"],
    ["wrong-protocol", 1, "its hello is invalid: wrote protocol 2, not 1"],
  ];
  for (const [mode, timeoutFactor, word] of refused) {
    const error = await assertRejects(() => runMode(mode, { timeoutFactor }), KitError, word);
    assertEquals(error.code, "subject_start");
  }
  await assertRejects(
    () => run({ subject: { driver: { command: ["no-such-program"] } }, suite: THREE }),
    KitError,
    'Cannot start "no-such-program"',
  );
});

Deno.test("run() ignores output that a driver writes before its hello message", async () => {
  assertEquals(verdicts(await runMode("banner")), ["pass", "pass", "pass"]);
});

Deno.test("run() stops after too many consecutive driver crashes and keeps the earlier results", async () => {
  const many = Array.from(
    { length: 8 },
    (_, index) => vector(`trouble-${index}`, { input: { trouble: true } }),
  );
  const report = await runMode("crash", { suite: suite(vector("before"), ...many) });
  const found = verdicts(report);
  assertEquals(found[0], "pass");
  assertEquals(found.filter((each) => each === "crash").length, 6);
  assertEquals(found.filter((each) => each === "not_run").length, 2);
});

Deno.test("run() reports a case as untestable if the driver lacks its operation or feature", async () => {
  const report = await runMode("good", {
    suite: suite(
      vector("op", { op: "comm.other" }),
      vector("needs", { needs: { ops: ["comm.other"] } }),
      vector("feature", { needs: { features: ["patience"] } }),
      vector("has-feature", { needs: { features: ["speed"] } }),
    ),
  });
  assertEquals(verdicts(report), ["untestable", "untestable", "untestable", "pass"]);
});

Deno.test("run() passes a negative case only if its control passes, and also runs an unselected control", async () => {
  const negative = vector("negative", { expect: { ok: { b: { $absent: true } } } });
  const wrong = { expect: { ok: { a: 2 } } };
  const good = suite({ ...negative, control: "comm/x/control" }, vector("control"));
  const bad = suite({ ...negative, control: "comm/x/control" }, vector("control", wrong));
  const only = { only: ["comm/x/negative"] };
  assertEquals(verdicts(await runMode("good", { suite: good, select: only })), ["pass"]);
  const report = await runMode("good", { suite: bad, select: only });
  assertEquals(verdicts(report), ["untestable"]);
  assertEquals(exitCode(report), 4);
});

Deno.test("run() runs a failed control again once per run, and reports and counts the control", async () => {
  const expect = { ok: { b: { $absent: true } } };
  const cases = suite(
    vector("control", { input: { a: 1, trouble: true } }),
    vector("one", { expect, control: "comm/x/control" }),
    vector("two", { expect, control: "comm/x/control" }),
  );
  const found: readonly (readonly [string, readonly string[], string])[] = [
    ["fault-once", ["fail", "pass", "pass"], "passed"],
    ["fault", ["fail", "untestable", "untestable"], "failed"],
  ];
  for (const [mode, expected, outcome] of found) {
    const report = await runMode(mode, { suite: cases });
    assertEquals(verdicts(report), expected);
    const retried = report.results.map(({ retriedControl }) => retriedControl);
    assertEquals(retried, [undefined, "comm/x/control", "comm/x/control"]);
    assertEquals(countResults(report).retriedControls, 1);
    const text = formatSummary(report);
    assertStringIncludes(text, `- control comm/x/control failed and was run again: ${outcome}\n`);
    assertStringIncludes(text, "3 cases in ");
    assertStringIncludes(text, ", 1 control run again");
  }
});

Deno.test("run() fails if more cases are untestable than the baseline accepts", async () => {
  const missing = { needs: { ops: ["comm.none"] } };
  const cases = suite(vector("good"), vector("one", missing), vector("two", missing));
  const { results } = await runMode("good", { suite: cases });
  const baseline = updateBaseline(results, { entries: [] });
  assertEquals(baseline, { entries: [], untestable: 2 });
  const same = await runMode("good", { suite: cases, baseline });
  assertEquals([same.stale, exitCode(same)], [[], 0]);
  const report = await runMode("good", { suite: cases, baseline: { entries: [], untestable: 1 } });
  assertEquals(report.stale, [
    { id: "untestable", reason: "2 untestable cases, but the baseline accepts 1" },
  ]);
  assertEquals(exitCode(report), 1);
});

Deno.test("run() counts a failing SHOULD case as a failure only in a strict run", async () => {
  const should = suite(vector("should", { level: "SHOULD", expect: { ok: { a: 2 } } }));
  const lax = await runMode("good", { suite: should });
  assertEquals([verdicts(lax)[0], exitCode(lax), countResults(lax).should.failed], ["fail", 0, 1]);
  const strict = await runMode("good", { suite: should, isStrict: true });
  assertEquals(exitCode(strict), 1);
});

Deno.test("run() requires decisions of this project only if the run has no profile", async () => {
  const decision = vector("decision", { basis: "decision", expect: { ok: { a: 2 } } });
  const cases = suite(decision, vector("contract"));
  const plain = await runMode("good", { suite: cases });
  assertEquals([exitCode(plain), plain.results[0]?.isDifference], [1, undefined]);
  const all = await runMode("good", { suite: cases, select: { profile: "all" } });
  assertEquals([exitCode(all), all.results[0]?.isDifference, all.profile], [0, true, "all"]);
  assertEquals(countResults(all).differences.failed, 1);
  const core = await runMode("good", { suite: cases, select: { profile: "core" } });
  assertEquals(core.results.map(({ id, basis }) => [id, basis]), [["comm/x/contract", "spec"]]);
});

Deno.test("run() does not succeed with an untestable required case only in a strict run", async () => {
  const missing = { needs: { ops: ["comm.none"] } };
  const cases = suite(
    vector("good"),
    vector("must", missing),
    vector("should", { ...missing, level: "SHOULD" }),
    vector("may", { ...missing, level: "MAY" }),
  );
  const lax = await runMode("good", { suite: cases });
  assertEquals(formatLastLine(lax), lastLine("MUST 1 passed, 0 failed", 3));
  assertEquals(exitCode(lax), 0);
  const strict = await runMode("good", { suite: cases, isStrict: true });
  assertEquals(verdicts(strict), verdicts(lax));
  assertEquals(
    formatLastLine(strict),
    "MUST 1 passed, 0 failed; SHOULD 0 passed, 0 failed; not run 0; n/a 0; untestable 3",
  );
  assertEquals(exitCode(strict), 1);
});

Deno.test("run() accepts an untestable case in a strict run if the baseline lists the case", async () => {
  const cases = suite(vector("good"), vector("must", { needs: { ops: ["comm.none"] } }));
  const options = { suite: cases, isStrict: true };
  const { results } = await runMode("good", options);
  const baseline = updateBaseline(results, { entries: [] });
  assertEquals(baseline.entries.map(({ id }) => id), ["comm/x/must"]);
  const report = await runMode("good", { ...options, baseline });
  assertEquals([verdicts(report), report.stale, exitCode(report)], [["pass", "known"], [], 0]);
  const lax = await runMode("good", { suite: cases, baseline });
  assertEquals([verdicts(lax), lax.stale, exitCode(lax)], [["pass", "untestable"], [], 0]);
});

const DRIVE = { drive: "comm.echo", args: { trouble: true }, as: "x" };
const AWAIT = { await: "x", expect: { ok: {} } };
/** A client case that the driver runs over stdio and over HTTP. */
const CLIENT = { ...header("client"), kind: "exchange", role: "client", steps: [DRIVE, AWAIT] };

Deno.test("run() reports a case for another protocol version as n/a, even in a strict run", async () => {
  const cases = suite(vector("good"), { ...CLIENT, revisions: { from: "2026-07-28" } });
  const report = await runMode("good", { suite: cases, isStrict: true });
  assertEquals(new Set(verdicts(report)), new Set(["pass", "n/a"]));
  assertEquals(exitCode(report), 0);
});

Deno.test("run() stops after `bail` failures or when its signal is aborted", async () => {
  const wrong = { expect: { ok: { a: 2 } } };
  const cases = suite(vector("one", wrong), vector("two", wrong), vector("three"));
  assertEquals(verdicts(await runMode("good", { suite: cases, bail: 1 })), [
    "fail",
    "not_run",
    "not_run",
  ]);
  const controller = new AbortController();
  const report = await runMode("good", {
    signal: controller.signal,
    onResult: () => controller.abort(),
  });
  assertEquals(verdicts(report), ["pass", "not_run", "not_run"]);
  assertEquals(exitCode(report), 130);
});

Deno.test("run() reports cases that do not apply as such after it stops, and does not succeed", async () => {
  const wrong = { expect: { ok: { a: 2 } } };
  const cases = suite(
    vector("one", wrong),
    vector("lacking", { needs: { ops: ["comm.none"] } }),
    vector("two"),
  );
  const report = await runMode("good", { suite: cases, bail: 1 });
  assertEquals(verdicts(report), ["fail", "untestable", "not_run"]);
  assertEquals(
    formatLastLine(report),
    "MUST 0 passed, 1 failed; SHOULD 0 passed, 0 failed; not run 1; n/a 0; untestable 1",
  );
  const baseline = { entries: [{ id: "comm/x/one" }] };
  const known = await runMode("good", { suite: cases, bail: 1, baseline });
  assertEquals([verdicts(known), exitCode(known)], [["known", "untestable", "not_run"], 1]);
});

Deno.test("run() passes results to onResult after it marks known failures", async () => {
  const reported: string[] = [];
  const baseline = { entries: [{ id: "comm/x/trouble" }] };
  await runMode("fault", { baseline, onResult: ({ verdict }) => reported.push(verdict) });
  assertEquals(reported, ["pass", "known", "pass"]);
});

Deno.test("run() counts the failures of all connections for `bail`", async () => {
  const next = { ...CLIENT, ...header("next"), steps: [{ ...DRIVE, args: {} }, AWAIT] };
  const report = await runMode("fault", { suite: suite(CLIENT, next), bail: 2 });
  const failed = report.results.filter(({ verdict }) => verdict === "fail");
  assertEquals(failed.map(({ id, transport }) => [id, transport]), [
    ["comm/x/client", "stdio"],
    ["comm/x/client", "http"],
  ]);
  // The connection that fails last does not run its next case.
  assert(verdicts(report).includes("not_run"));
});

Deno.test("run() uses one driver process for a library and one for each transport", async () => {
  const cases = suite(
    vector("first", { input: { a: 1, trouble: true } }),
    vector("second", { input: { a: 1, trouble: true } }),
    CLIENT,
    { ...CLIENT, ...header("client-again") },
  );
  // The driver reports a fault only for the first operation of its process.
  const report = await runMode("fault-once", { suite: cases });
  assertEquals(verdicts(report), ["fail", "pass", "fail", "pass", "fail", "pass"]);
});

Deno.test("run() stops immediately if its signal is aborted during a case", async () => {
  const controller = new AbortController();
  const waits = suite(
    vector("trouble", { input: { trouble: true }, timing: { deadlineMs: 60000 } }),
  );
  const report = await runMode("hang", {
    suite: waits,
    signal: controller.signal,
    onStart: () => controller.abort(),
  });
  assertEquals(verdicts(report), ["not_run"]);
  assertEquals([report.isInterrupted, exitCode(report)], [true, 130]);
});

Deno.test("run() rejects with the signal's reason if the signal is already aborted", async () => {
  await assertRejects(
    () => runMode("good", { signal: AbortSignal.abort(new Error("no")) }),
    Error,
    "no",
  );
});

Deno.test("run() does not wait for a step to time out if the subject lacks the operation", async () => {
  const start = { start: "comm.echo", args: { trouble: true }, as: "r" };
  const held = [start, { held: "never", withinMs: 60_000 }];
  const cancelled = [start, { cancelled: "never", withinMs: 60_000 }];
  const pending = [start, { pending: ["r"], forMs: 60_000 }];
  const report = await runMode("unsupported", {
    suite: suite(
      { ...header("held"), kind: "loop", host: {}, steps: held },
      { ...header("cancelled"), kind: "loop", host: {}, steps: cancelled },
      { ...header("pending"), kind: "script", steps: pending },
    ),
  });
  assertEquals(verdicts(report), ["untestable", "untestable", "untestable"]);
  assertEquals(report.results[0]?.note, "not in this library");
});

Deno.test("run() rejects if no case is selected or no case applies to the subject", async () => {
  const empty = await assertRejects(
    () => runMode("good", { select: { libraries: ["mcp"] } }),
    KitError,
    "no case selected",
  );
  assertEquals(empty.code, "nothing_to_run");
  await assertRejects(() => run({ subject: {}, suite: THREE }), KitError, "this kind of subject");
});

Deno.test("run() marks known failures and reports stale baseline entries", async () => {
  const report = await runMode("fault", {
    baseline: {
      entries: [
        { id: "comm/x/trouble", message: "fail: an unexpected exception: boom" },
        { id: "comm/x/after" },
      ],
    },
  });
  assertEquals(verdicts(report), ["pass", "known", "pass"]);
  assertEquals(report.stale, [{ id: "comm/x/after", reason: "comm/x/after passes" }]);
  assertEquals(exitCode(report), 1);
});

Deno.test("run() starts only the programs that the selected cases need", async () => {
  const { subjects } = await run({
    subject: { driver: { command: ["deno", "run", "-A", DRIVER] }, server: ["no-such-program"] },
    suite: suite(vector("good")),
  });
  assertEquals(subjects.map(({ name }) => name), ["wayward good"]);
});

Deno.test("run() rejects with the error of an onStart or onResult that throws or rejects", async () => {
  const error = new Error("cannot write");
  const failures = [(): never => {
    throw error;
  }, () => Promise.reject(error)];
  for (const fail of failures) {
    for (const options of [{ onStart: fail }, { onResult: fail }]) {
      assertEquals(await assertRejects(() => runMode("good", options)), error);
    }
  }
});
