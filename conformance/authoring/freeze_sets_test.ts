import { assertEquals, assertThrows } from "@std/assert";
import type { Case } from "../kit/case.ts";
import { readSuite, type Suite } from "../kit/load_cases.ts";
import cases from "../testdata/sets/cases.json" with { type: "json" };
import { findSetProblems, type SetFiles } from "./check_sets.ts";
import { createDraft, formatSet } from "./draft_set.ts";
import { freezeDraft, readDraft, releaseSet } from "./freeze_sets.ts";

/** The set was written by a program in Python, which follows PROTOCOL.md. */
const RELEASED = await Deno.readTextFile(new URL("../testdata/sets/comm.1.json", import.meta.url));
const FILES: SetFiles = new Map([["comm.1.json", RELEASED]]);
const SUITE = readSuite(new Map([["cases.json", cases]]));

function withCase(id: string, more: Partial<Case>): Suite {
  const each = SUITE.get(id);
  if (each === undefined) throw new RangeError(id);
  // The tests add only members that all kinds of cases share.
  return new Map([...SUITE, [id, { ...each, ...more } as Case]]);
}

function without(id: string): Suite {
  return new Map([...SUITE].filter(([each]) => each !== id));
}

Deno.test("findSetProblems() accepts a released set whose cases have not changed", () => {
  assertEquals(findSetProblems(FILES, SUITE), []);
  assertEquals(findSetProblems(FILES, withCase("comm/frozen/first", { title: "Other words" })), []);
});

Deno.test("findSetProblems() finds every change of a released set and of its cases", () => {
  const id = "comm/frozen/first";
  const other = (text: string): SetFiles => new Map([["comm.1.json", text]]);
  const rows: readonly (readonly [SetFiles, Suite, readonly string[]])[] = [
    [FILES, withCase(id, { level: "MAY" }), [`comm.1: ${id} has changed`]],
    [FILES, withCase(id, { basis: "spec" }), [`comm.1: ${id} has changed`]],
    [FILES, withCase(id, { state: "proposed" }), [
      `comm.1: ${id} is released, but its state is proposed`,
    ]],
    [FILES, without(id), [`comm.1: ${id} is removed`]],
    [other(RELEASED.replace('"MUST"', '"MAY"')), SUITE, [
      "comm.1.json: the digest is not the digest of the cases",
      `comm.1: ${id} has changed`,
    ]],
    [new Map([["comm.2.json", RELEASED]]), SUITE, ['comm.2.json contains the set "comm.1"']],
    [other("{}"), SUITE, ['comm.1.json: /: has no member "name"']],
    [other(RELEASED.replace("comm.1", "comm.2")), SUITE, ['comm.1.json contains the set "comm.2"']],
  ];
  for (const [files, suite, problems] of rows) {
    assertEquals(findSetProblems(files, suite), problems);
  }
});

Deno.test("findSetProblems() finds a set that is missing before a later one", () => {
  const second = releaseAgain().writes;
  assertEquals(findSetProblems(new Map([...FILES, ...second]), withNewCase()), []);
  assertEquals(findSetProblems(second, withNewCase()), ["comm.1.json is missing"]);
});

Deno.test("freezeDraft() prints the changes, and writes the digests of all cases", () => {
  const before = formatSet({ ...createDraft(without("comm/frozen/third")) });
  const { writes, lines } = freezeDraft(new Map([...FILES, ["draft.json", before]]), SUITE);
  assertEquals(lines, ["comm/frozen/third is new"]);
  assertEquals([...writes.keys()], ["draft.json"]);
  assertEquals(readDraft(writes.get("draft.json")).cases, createDraft(SUITE).cases);
});

Deno.test("freezeDraft() and releaseSet() throw if a released case has changed", () => {
  const suite = withCase("comm/frozen/first", { level: "MAY" });
  const message =
    "A released requirement set never changes:\n  comm.1: comm/frozen/first has changed";
  assertThrows(() => freezeDraft(FILES, suite), RangeError, message);
  assertThrows(() => release("comm", suite), RangeError, message);
  assertThrows(() => release("mcp-2026-07-28", suite), RangeError, message);
});

Deno.test("releaseSet() rejects a set that exists, an unknown name, and a set without new cases", () => {
  const rows = [
    ["comm.1", 'Cannot release "comm.1": a released set never changes'],
    ["comm.2", 'Cannot release "comm.2": a released set never changes'],
    ["song", 'Cannot release "song": the name must be one of comm, '],
    ["comm", 'Cannot release "comm": no mature case differs from the newest set'],
    ["runtime-core", 'Cannot release "runtime-core": no mature case'],
  ] as const;
  for (const [name, message] of rows) {
    assertThrows(() => release(name, SUITE), RangeError, message);
  }
});

Deno.test("releaseSet() writes the next set, without cases that are new, changed or proposed", () => {
  const { writes, lines } = releaseAgain();
  assertEquals([...writes.keys()], ["comm.2.json"]);
  const set = JSON.parse(writes.get("comm.2.json") ?? "");
  assertEquals([set.name, set.kit, set.frozen], ["comm.2", "0.2.0", "2027-01-02"]);
  assertEquals(set.cases.length, 4);
  assertEquals(lines.slice(1), ["comm/frozen/fourth is new"]);
});

Deno.test("releaseSet() leaves out cases that are disputed or withdrawn, and checks the errata", () => {
  const erratum = {
    id: "comm.1-e1",
    case: "comm/frozen/first",
    effect: "disputed",
    reason: "RFC 8785 allows both forms.",
    source: "https://www.rfc-editor.org/rfc/rfc8785",
    issue: "https://github.example/issues/1",
    date: "2026-12-20",
    kit: "0.1.1",
  };
  const withErrata = (...errata: readonly object[]): SetFiles =>
    new Map([...FILES, ["comm.1.errata.json", JSON.stringify({ set: "comm.1", errata })]]);
  const suite = withNewCase();
  const facts = { kit: "0.2.0", frozen: "2027-01-02", mature: createDraft(suite) };
  const { lines } = releaseSet("comm", { files: withErrata(erratum), suite, facts });
  assertEquals(lines.slice(1), ["comm/frozen/first is removed", "comm/frozen/fourth is new"]);
  const ended = { date: "2027-01-01", reason: "RFC 8785 section 3.2 demands it." };
  const again = releaseSet("comm", { files: withErrata({ ...erratum, ended }), suite, facts });
  assertEquals(again.lines.slice(1), ["comm/frozen/fourth is new"]);
  assertEquals(findSetProblems(withErrata({ ...erratum, case: "comm/frozen/none" }), SUITE), [
    'comm.1.errata.json: comm.1-e1: "comm/frozen/none" is not in the set',
  ]);
  assertEquals(findSetProblems(new Map([["comm.9.errata.json", "{}"]]), SUITE), [
    'comm.9.errata.json: "comm.9" is not a released set',
  ]);
});

Deno.test("releaseSet() leaves out cases that were added or changed in the last 14 days", () => {
  const suite = withNewCase();
  const { writes, lines } = releaseSet("comm", {
    files: new Map(),
    suite,
    facts: { kit: "0.1.0", frozen: "2026-12-01", mature: createDraft(SUITE) },
  });
  assertEquals(writes.get("comm.1.json"), RELEASED);
  assertEquals(
    lines.at(-1),
    "comm/frozen/fourth is left out: it was added or changed in the last 14 days",
  );
});

function withNewCase(): Suite {
  const first = SUITE.get("comm/frozen/first");
  if (first === undefined) throw new RangeError("comm/frozen/first");
  const fourth: Case = { ...first, id: "comm/frozen/fourth" };
  const proposed: Case = { ...first, id: "comm/frozen/fifth", state: "proposed" };
  return new Map([...SUITE, [fourth.id, fourth], [proposed.id, proposed]]);
}

function releaseAgain(): ReturnType<typeof releaseSet> {
  return release("comm", withNewCase());
}

function release(
  family: string,
  suite: Suite,
  mature: Suite = suite,
): ReturnType<typeof releaseSet> {
  const facts = { kit: "0.2.0", frozen: "2027-01-02", mature: createDraft(mature) };
  return releaseSet(family, { files: FILES, suite, facts });
}
