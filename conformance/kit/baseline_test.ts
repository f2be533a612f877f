import { assertEquals, assertThrows } from "@std/assert";
import { applyBaseline, type BaselineEntry, parseBaseline, updateBaseline } from "./baseline.ts";
import { KitError } from "./error.ts";
import type { CaseResult, Verdict } from "./verdict.ts";

const TODAY = "2026-01-02";

function result(id: string, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult {
  return {
    id,
    title: `The title of ${id}`,
    rev: "00000000",
    verdict,
    level: "MUST",
    isRequired: true,
    ms: 1,
    ...more,
  };
}

const RESULTS = [
  result("comm/a/good", "pass"),
  result("comm/a/bad", "fail", { got: "2" }),
  result("mcp/a/bad", "crash", { transport: "stdio", got: "no response" }),
  result("mcp/a/out", "n/a"),
];

function apply(
  ...entries: readonly BaselineEntry[]
): readonly [readonly string[], readonly string[]] {
  const { results, stale } = applyBaseline(RESULTS, { entries }, TODAY);
  return [results.map(({ verdict }) => verdict), stale.map(({ reason }) => reason)];
}

Deno.test("applyBaseline() accepts failures that match an entry's id, transport and message prefix", () => {
  const red = ["pass", "fail", "crash", "n/a"];
  assertEquals(apply(), [red, []]);
  assertEquals(apply({ id: "comm/a/bad" })[0], ["pass", "known", "crash", "n/a"]);
  assertEquals(apply({ id: "comm/a/bad", message: "fail: 2" })[0][1], "known");
  assertEquals(apply({ id: "comm/a/bad", message: "fail: 3" }), [red, []]);
  assertEquals(apply({ id: "mcp/a/bad", transport: "http" }), [red, []]);
  assertEquals(apply({ id: "mcp/**", transport: "stdio" })[0][2], "known");
});

Deno.test("applyBaseline() reports entries that pass or have expired as stale, unless they are flaky", () => {
  assertEquals(apply({ id: "comm/a/good" })[1], ["comm/a/good passes"]);
  assertEquals(apply({ id: "comm/a/good", flaky: true }), [
    ["known_flaky", "fail", "crash", "n/a"],
    [],
  ]);
  assertEquals(apply({ id: "comm/a/bad", until: "2026-01-01" }), [
    ["pass", "fail", "crash", "n/a"],
    ["expired on 2026-01-01"],
  ]);
  assertEquals(apply({ id: "comm/a/bad", until: TODAY })[0][1], "known");
});

Deno.test("applyBaseline() reports the number of untestable cases if it exceeds the accepted number", () => {
  const results = [
    result("comm/a/one", "untestable"),
    result("comm/a/two", "untestable"),
    result("comm/a/strict", "untestable", { countsAsFailure: true }),
  ];
  const reasons = (untestable: number | undefined): readonly string[] =>
    applyBaseline(
      results,
      { entries: [], ...(untestable === undefined ? {} : { untestable }) },
      TODAY,
    )
      .stale.map(({ id, reason }) => `${id}: ${reason}`);
  assertEquals(reasons(undefined), []);
  assertEquals(reasons(3), []);
  assertEquals(reasons(2), ["untestable: 3 untestable cases, but the baseline accepts 2"]);
});

Deno.test("applyBaseline() throws if a pattern matches more than 20 cases", () => {
  const many = Array.from({ length: 21 }, (_, index) => result(`comm/a/x${index}`, "fail"));
  assertThrows(
    () => applyBaseline(many, { entries: [{ id: "comm/**" }] }, TODAY),
    KitError,
    "matches 21 cases; the maximum is 20",
  );
});

Deno.test("updateBaseline() lists every failure and keeps issue links", () => {
  const old = {
    entries: [{ id: "comm/a/bad", issue: "https://x.example/1" }, { id: "comm/a/good" }],
  };
  const updated = updateBaseline(RESULTS, old);
  assertEquals(updated.entries, [
    { id: "comm/a/bad", issue: "https://x.example/1", message: "fail: 2" },
    { id: "mcp/a/bad", transport: "stdio", message: "crash: no response" },
  ]);
  assertEquals(applyBaseline(RESULTS, updated, TODAY).stale, []);
});

Deno.test("updateBaseline() adds no entry for a failure that a flaky entry covers", () => {
  const old = { entries: [{ id: "comm/a/*", flaky: true }, { id: "mcp/a/bad", flaky: true }] };
  const updated = updateBaseline(RESULTS, old);
  assertEquals(updated.entries, old.entries);
  const passing = RESULTS.map((each) => result(each.id, "pass"));
  assertEquals(applyBaseline(passing, updated, TODAY).stale, []);
});

Deno.test("parseBaseline() throws an error with the file name if the text is not a valid baseline", () => {
  for (const text of ["{", "[]", '{"entries":[{"id":"a","colour":1}]}', '{"entries":[{}]}']) {
    const error = assertThrows(() => parseBaseline(text, "b.json"), KitError, '"b.json"');
    assertEquals(error.code, "bad_file");
  }
  assertEquals(parseBaseline('{"entries":[]}', "b.json"), { entries: [] });
});
