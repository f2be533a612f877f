import { assert, assertEquals } from "@std/assert";
import faults from "./faults.json" with { type: "json" };
import comm from "./members/comm.json" with { type: "json" };
import mcp from "./members/mcp.json" with { type: "json" };
import runtime from "./members/runtime.json" with { type: "json" };
import wire from "./wire.json" with { type: "json" };

const IDS: ReadonlySet<string> = new Set(faults.map(({ id }) => id));
const MUTANTS = [...comm, ...runtime, ...mcp, ...wire];

Deno.test("fault ids are unique, and each fault is a mutant", () => {
  assertEquals(IDS.size, faults.length);
  const made = new Set(MUTANTS.map(({ id }) => id));
  assertEquals(faults.map(({ id }) => id).filter((id) => !made.has(id)), []);
});

Deno.test("every mutant with cases that detect it is a fault", () => {
  assertEquals(MUTANTS.map(({ id }) => id).filter((id) => !IDS.has(id)), []);
  for (const { id, kills } of MUTANTS) {
    assert(kills.length > 0, `the "kills" list of ${id} is empty`);
  }
});
