import { assertEquals, assertThrows } from "@std/assert";
import { loadSuite } from "../suite.ts";
import { KitError } from "./error.ts";
import { belongsToFamily, type RequirementSet, SET_FAMILIES } from "./requirement_set.ts";
import { findSets, protocolVersionOf } from "./requirements.ts";
import { selectCases } from "./select_cases.ts";

function released(name: string): RequirementSet {
  return { name, format: 1, kit: "0.1.0", frozen: "2026-12-01", digest: "0".repeat(64), cases: [] };
}

const SETS = ["comm.9", "comm.10", "comm-parley.1"].map(released);

Deno.test("findSets() returns the newest released set of a family, or the draft if none is released", () => {
  const names = (...wanted: readonly string[]): readonly string[] =>
    findSets(wanted, SETS).map(({ name }) => name);
  assertEquals(names("comm"), ["comm.10"]);
  assertEquals(names("comm-parley", "mcp-2026-07-28"), ["comm-parley.1", "mcp-2026-07-28.draft"]);
  assertEquals(names("comm.9", "comm.draft"), ["comm.9", "comm.draft"]);
  assertEquals(names("comm", "comm.10"), ["comm.10"]);
});

Deno.test("findSets() names the known sets if a set is unknown", () => {
  const rows = [
    [
      "comm-0.1.0",
      'Cannot use requirements "comm-0.1.0": the value must be one of comm, comm-parley, ',
    ],
    [
      "comm.8",
      'Cannot use requirements "comm.8": the value must be one of comm, comm.9, comm.10, comm.draft',
    ],
  ] as const;
  for (const [name, message] of rows) {
    const error = assertThrows(() => findSets([name], SETS), KitError, message);
    assertEquals(error.code, "usage");
  }
});

Deno.test("selectCases() selects the cases of requirement sets", () => {
  const cases = [...loadSuite().values()].filter(({ id }) => id.startsWith("comm/"));
  const select = (...requirements: readonly string[]): readonly string[] =>
    selectCases(cases, { requirements }).map(({ id }) => id);
  const [own, common] = [select("comm-parley"), select("comm.draft")];
  assertEquals(common.includes("comm/canonical-json/sample"), true);
  assertEquals(own.includes("comm/canonical-json/sample"), false);
  assertEquals(select("comm", "comm-parley").length, cases.length);
  assertEquals(common.length + own.length, cases.length);
  assertEquals(select("runtime-core"), []);
});

Deno.test("every case is in the set of a family, unless it is proposed or only reported", () => {
  const lost = [...loadSuite().values()].filter((each) =>
    each.level !== "INFO" && each.state === undefined &&
    !SET_FAMILIES.some((family) => belongsToFamily(each, family))
  );
  assertEquals(lost.map(({ id }) => id), []);
});

Deno.test("selectCases() throws if a requirement set is unknown", () => {
  const error = assertThrows(() => selectCases([], { requirements: ["comm.99"] }), KitError);
  assertEquals(error.code, "usage");
});

Deno.test("protocolVersionOf() returns the protocol version that sets of mcp share", () => {
  assertEquals(protocolVersionOf(["comm.1", "mcp-2026-07-28"]), "2026-07-28");
  assertEquals(protocolVersionOf(["mcp-2026-07-28.2"]), "2026-07-28");
  assertEquals(protocolVersionOf(["mcp-2026-07-28", "mcp-2025-11-25"]), undefined);
  assertEquals(protocolVersionOf(["mcp-parley", "comm"]), undefined);
});
