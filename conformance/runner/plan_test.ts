import { assertEquals, assertThrows } from "@std/assert";
import { KitError } from "../kit/error.ts";
import { readSuite, type Suite } from "../kit/load_cases.ts";
import { readRequirementSet, type RequirementSet } from "../kit/requirement_set.ts";
import cases from "../testdata/sets/cases.json" with { type: "json" };
import first from "../testdata/sets/comm.1.json" with { type: "json" };
import type { Selection } from "../kit/select_cases.ts";
import { planRun, type RunPlan } from "./plan.ts";

const SUITE = readSuite(new Map([["cases.json", cases]]));
const SETS = [readSet(first)];

function plan(suite: Suite, selection: Selection, sets: readonly RequirementSet[] = SETS): RunPlan {
  return planRun(suite, selection, { version: "2025-11-25", released: { sets, errata: [] } });
}

function readSet(value: unknown): RequirementSet {
  const result = readRequirementSet(value);
  if (!result.ok) throw new SyntaxError(result.reason);
  return result.value;
}

function withMembers(id: string, more: Readonly<Record<string, unknown>>): Suite {
  const written = cases.cases.map((each) => each.id === id ? { ...each, ...more } : each);
  return readSuite(new Map([["cases.json", { ...cases, cases: written }]]));
}

Deno.test("planRun() names the released set and its digest", () => {
  const { chosen, sets } = plan(SUITE, { requirements: ["comm"] });
  assertEquals(chosen.length, 3);
  assertEquals(sets, [{
    name: "comm.1",
    digest: "01ba1ee5436c09fedb7576abed71e9201a7d027083df8b1293f222aa87a451b5",
    cases: 3,
  }]);
});

Deno.test("planRun() calculates the digest of a draft from the cases of its family", () => {
  const of = (suite: Suite) => plan(suite, { requirements: ["comm"] }, []).sets[0];
  // Calculated with hashlib of Python.
  assertEquals(of(SUITE), {
    name: "comm.draft",
    digest: "c472b6584cbab354fc3d967ad331a22da84f90e560c61da404d40d060654a93c",
    cases: 3,
  });
  assertEquals(of(withMembers("comm/frozen/first", { title: "Other words" })), of(SUITE));
  const changed = of(withMembers("comm/frozen/first", { level: "MAY" }));
  assertEquals([changed?.cases, changed?.digest === of(SUITE)?.digest], [3, false]);
  const fewer = of(withMembers("comm/frozen/first", { state: "proposed" }));
  assertEquals([fewer?.cases, fewer?.digest === of(SUITE)?.digest], [2, false]);
});

Deno.test("planRun() applies the other criteria to the cases of a set", () => {
  const { chosen } = plan(SUITE, { requirements: ["comm"], only: ["**/first"] });
  assertEquals(chosen.map(({ id }) => id), ["comm/frozen/first"]);
});

Deno.test("planRun() rejects a case that differs from the released set", () => {
  const suite = withMembers("comm/frozen/second", { input: { text: "d" } });
  const error = assertThrows(
    () => plan(suite, { requirements: ["comm.1"] }),
    KitError,
    'Cannot use requirements "comm.1": the case "comm/frozen/second" differs from the set',
  );
  assertEquals(error.code, "usage");
  assertEquals(plan(suite, { requirements: ["comm.draft"] }).chosen.length, 3);
});

Deno.test("planRun() rejects a set that demands other rules", () => {
  const set = { ...readSet(first), format: 2 };
  const message = 'Cannot use requirements "comm.1": the kit runs cases with format 1, not 2';
  assertThrows(() => plan(SUITE, { requirements: ["comm.1"] }, [set]), KitError, message);
});
