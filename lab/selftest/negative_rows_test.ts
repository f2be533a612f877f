import { assertEquals } from "@std/assert";
import { readSuite } from "../../conformance/kit/load_cases.ts";
import { findRowProblems, listFailedRows, listNegativeRows } from "./negative_rows.ts";
import type { MemberMutant } from "./workspace.ts";

const HEADER = {
  kind: "vector",
  title: "t",
  level: "MUST",
  basis: "spec",
  clauses: ["COMM-X-1"],
  why: "w",
  op: "comm.x",
};

const SUITE = readSuite(
  new Map([["f", {
    kit: 1,
    defaults: { source: "s" },
    cases: [
      {
        ...HEADER,
        id: "comm/x/rows",
        rows: [
          { name: "value", input: {}, expect: { ok: { valid: true } } },
          { name: "error", input: {}, expect: { error: {} } },
          { name: "either", input: {}, expect: { ok: {}, error: {} } },
          { name: "verdict", input: {}, expect: { ok: { valid: false } } },
          { name: "outcome", input: {}, expect: { ok: { all: [{ error: { code: "a" } }] } } },
          { name: "no error", input: {}, expect: { ok: { error: { $absent: true } } } },
        ],
      },
      { ...HEADER, id: "comm/x/single", input: {}, expect: { error: {} } },
      { ...HEADER, id: "comm/x/good", input: {}, expect: { ok: {} } },
    ],
  }]]),
);

function mutant(id: string, ...rows: readonly string[]): MemberMutant {
  return { id, title: "t", file: "comm/x.ts", find: "a", replace: "b", kills: [], rows };
}

Deno.test("listNegativeRows() returns the rows that expect an error or an invalid result", () => {
  assertEquals(listNegativeRows(SUITE), [
    "comm/x/rows#error",
    "comm/x/rows#verdict",
    "comm/x/rows#outcome",
    "comm/x/single",
  ]);
});

Deno.test("findRowProblems() reports a negative row that no mutant lists", () => {
  const mutants = [mutant("comm-a", "comm/x/rows#error", "comm/x/rows#outcome")];
  assertEquals(findRowProblems(mutants, ["comm/x/rows#verdict"], SUITE), [
    "no mutant removes the check that comm/x/single tests",
  ]);
});

Deno.test("findRowProblems() reports rows that are not negative and unnecessary exemptions", () => {
  const mutants = [
    mutant("comm-a", "comm/x/rows#error", "comm/x/rows#outcome", "comm/x/rows#value"),
    mutant("comm-b", "comm/x/rows#verdict", "comm/x/single", "comm/x/none"),
  ];
  assertEquals(findRowProblems(mutants, ["comm/x/single", "comm/x/good"], SUITE), [
    "mutant comm-a lists comm/x/rows#value, which is not a negative row",
    "mutant comm-b lists comm/x/none, which is not a negative row",
    "comm/x/good is exempt, but is not a negative row",
    "comm/x/single is exempt, but is also listed for a mutant",
  ]);
});

Deno.test("listFailedRows() ignores cases that crashed or timed out", () => {
  assertEquals(
    listFailedRows([
      { id: "comm/x/rows", verdict: "fail", failedRows: ["error", "verdict"] },
      { id: "comm/x/single", verdict: "fail" },
      { id: "comm/x/good", verdict: "hang", failedRows: ["a"] },
    ]),
    ["comm/x/rows#error", "comm/x/rows#verdict", "comm/x/single"],
  );
});
