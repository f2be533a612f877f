import { assertEquals } from "@std/assert";
import cases from "../testdata/sets/cases.json" with { type: "json" };
import first from "../testdata/sets/comm.1.json" with { type: "json" };
import { applyErratum, type Erratum, readErrata, strongestErrata } from "./errata.ts";
import { readSuite } from "./load_cases.ts";
import { readRequirementSet, type RequirementSet } from "./requirement_set.ts";

const SUITE = readSuite(new Map([["cases.json", cases]]));
const SET = readSet();

function readSet(): RequirementSet {
  const result = readRequirementSet(first);
  if (!result.ok) throw new SyntaxError(result.reason);
  return result.value;
}

const ERRATUM: Erratum = {
  id: "comm.1-e1",
  case: "comm/frozen/first",
  effect: "disputed",
  reason: "RFC 8785 allows both forms.",
  source: "https://www.rfc-editor.org/rfc/rfc8785",
  issue: "https://github.example/issues/1",
  date: "2026-12-20",
  kit: "0.1.1",
};

const OTHER: Erratum = { ...ERRATUM, id: "comm.1-e2", case: "comm/frozen/second" };

function read(...errata: readonly unknown[]): ReturnType<typeof readErrata> {
  return readErrata({ set: "comm.1", errata }, { set: SET, suite: SUITE });
}

Deno.test("readErrata() accepts errata that take away requirements", () => {
  const accepts = [{ at: "/rows/0/expect/ok/text", value: "B" }];
  const files: readonly (readonly Erratum[])[] = [
    [ERRATUM],
    [ERRATUM, { ...OTHER, effect: "withdrawn" }],
    [{ ...ERRATUM, effect: "level", level: "SHOULD" }, { ...OTHER, effect: "level", level: "MAY" }],
    [ERRATUM, { ...OTHER, effect: "accepts", accepts }],
    [
      { ...ERRATUM, ended: { date: "2027-01-02", reason: "RFC 8785 section 3.2.3 demands it." } },
      { ...OTHER, case: ERRATUM.case, effect: "withdrawn" },
    ],
  ];
  for (const errata of files) {
    assertEquals(read(...errata), { ok: true, value: { set: "comm.1", errata } });
  }
});

Deno.test("readErrata() rejects errata that add requirements, and unknown cases and effects", () => {
  const rows: readonly (readonly [readonly unknown[], RegExp])[] = [
    [
      [{ ...ERRATUM, case: "comm/frozen/none" }],
      /^comm\.1-e1: "comm\/frozen\/none" is not in the set$/,
    ],
    [[{ ...ERRATUM, effect: "stricter" }], /^\/errata\/0\/effect: /],
    [[{ ...ERRATUM, effect: "level", level: "MUST" }], /^\/errata\/0\/level: /],
    [
      [ERRATUM, { ...OTHER, effect: "level", level: "SHOULD" }],
      /e2: the level must be lower than SHOULD$/,
    ],
    [[{ ...ERRATUM, effect: "level" }], /e1: the level must be lower than MUST$/],
    [[{ ...ERRATUM, level: "MAY" }], /^\/errata\/0/],
    [[{ ...ERRATUM, effect: "accepts" }], /e1: "accepts" is missing$/],
    [
      [{ ...ERRATUM, effect: "accepts", accepts: [{ at: "/rows/0/input/text", value: "b" }] }],
      /e1: \/rows\/0\/input\/text: the value is not compared with the result of the subject$/,
    ],
    [
      [ERRATUM, { ...OTHER, case: ERRATUM.case }],
      /e2: "comm\/frozen\/first" has another open erratum$/,
    ],
    [[OTHER], /^"comm\.1-e2" must have the id "comm\.1-e1"$/],
    [[{ ...ERRATUM, reason: "" }], /^\/errata\/0\/reason: /],
    [[{ ...ERRATUM, issue: "http://x" }], /^\/errata\/0\/issue: /],
  ];
  for (const [errata, message] of rows) {
    const result = read(...errata);
    const reason = result.ok ? "" : result.reason;
    assertEquals(message.test(reason), true, `${reason} instead of ${message}`);
  }
  const other = readErrata({ set: "comm.2", errata: [ERRATUM] }, { set: SET, suite: SUITE });
  assertEquals(other, { ok: false, reason: 'the errata are those of "comm.2"' });
});

Deno.test("applyErratum() changes the state, the level or the accepted values, or withdraws the case", () => {
  const each = SUITE.get("comm/frozen/first");
  if (each === undefined) throw new RangeError("comm/frozen/first");
  assertEquals(applyErratum(each, ERRATUM), { ...each, state: "disputed" });
  assertEquals(applyErratum(each, { ...ERRATUM, effect: "withdrawn" }), undefined);
  assertEquals(applyErratum(each, { ...ERRATUM, effect: "level", level: "MAY" }), {
    ...each,
    level: "MAY",
  });
  const accepts = [{ at: "/rows/0/expect/ok/text", value: "A" }];
  const wider = applyErratum(each, { ...ERRATUM, effect: "accepts", accepts });
  assertEquals(wider?.kind === "vector" ? wider.rows : undefined, [
    { name: "", input: { text: "a" }, expect: { ok: { text: { $oneOf: ["a", "A"] } } } },
  ]);
});

Deno.test("strongestErrata() ignores errata that have ended, and prefers the strongest effect", () => {
  const ended = {
    ...ERRATUM,
    effect: "withdrawn",
    ended: { date: "2027-01-02", reason: "r" },
  } as const;
  const level = { ...ERRATUM, id: "comm.2-e1", effect: "level", level: "MAY" } as const;
  const files = [
    { set: "comm.1", errata: [ended, OTHER] },
    { set: "comm.2", errata: [level] },
    { set: "comm.3", errata: [{ ...ERRATUM, id: "comm.3-e1" }] },
  ];
  const found = strongestErrata(files);
  assertEquals([...found.values()].map(({ id }) => id), ["comm.1-e2", "comm.3-e1"]);
});
