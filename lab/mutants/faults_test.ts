import { assert, assertEquals } from "@std/assert";
import { loadSuite } from "../../conformance/suite.ts";
import faults from "./faults.json" with { type: "json" };
import comm from "./members/comm.json" with { type: "json" };
import mcp from "./members/mcp.json" with { type: "json" };
import runtime from "./members/runtime.json" with { type: "json" };

const IDS: ReadonlySet<string> = new Set(faults.map(({ id }) => id));
const MUTANTS = [...comm, ...runtime, ...mcp];
const CASES = [...loadSuite().values()];

function catchersOf(mutant: string): readonly string[] {
  return CASES.filter(({ catches }) => catches?.includes(mutant))
    .map(({ id }) => id);
}

Deno.test('fault ids are unique, and every id in a case\'s "catches" member is a fault', () => {
  assertEquals(IDS.size, faults.length);
  const caught = CASES.flatMap(({ catches = [] }) => catches);
  assertEquals(caught.filter((id) => !IDS.has(id)), []);
});

Deno.test('every fault is listed in the "catches" member of a case', () => {
  assertEquals(faults.filter(({ id }) => catchersOf(id).length === 0), []);
});

Deno.test('every library mutant is a fault, and each case in its "kills" list also lists the mutant', () => {
  assertEquals(MUTANTS.map(({ id }) => id).filter((id) => !IDS.has(id)), []);
  for (const { id, kills } of MUTANTS) {
    const catchers = catchersOf(id);
    assert(kills.length > 0, `the "kills" list of ${id} is empty`);
    assertEquals(kills.filter((kill) => !catchers.includes(kill)), [], id);
  }
});
