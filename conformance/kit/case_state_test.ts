import { assertEquals } from "@std/assert";
import type { VectorCase } from "./case.ts";
import { formatStates, statesOf } from "./case_state.ts";
import type { Erratum } from "./errata.ts";
import type { RequirementSet } from "./requirement_set.ts";

const CASE: VectorCase = {
  id: "mcp/x/y",
  kind: "vector",
  title: "t",
  level: "MUST",
  basis: "jsonrpc",
  revisions: { from: "2025-11-25" },
  clauses: ["MCP-X-1"],
  why: "w",
  source: "s",
  op: "mcp.x",
  rows: [{ name: "", input: {}, expect: { ok: {} } }],
};

function released(name: string): RequirementSet {
  const cases = [{ id: CASE.id, level: CASE.level, digest: "0".repeat(32) }];
  return { name, format: 1, kit: "0.1.0", frozen: "2026-12-01", digest: "0".repeat(64), cases };
}

const SETS = [released("mcp-2025-11-25.1"), released("mcp-2026-07-28.1")];

const ERRATUM: Erratum = {
  id: "mcp-2026-07-28.1-e1",
  case: CASE.id,
  effect: "disputed",
  reason: "The server may omit the member.",
  source: "https://a.example",
  issue: "https://b.example/1",
  date: "2026-12-20",
  kit: "0.1.1",
};

function explain(each: VectorCase, errata: readonly Erratum[], sets = SETS): readonly string[] {
  return formatStates(statesOf(each, { sets, errata: [{ set: "mcp-2026-07-28.1", errata }] }));
}

Deno.test("statesOf() derives the state of a case from sets and errata", () => {
  assertEquals(explain(CASE, [], []), [
    "state     draft (mcp-2025-11-25.draft, mcp-2026-07-28.draft)",
  ]);
  assertEquals(explain({ ...CASE, state: "proposed" }, [], []), ["state     proposed"]);
  assertEquals(explain({ ...CASE, level: "INFO" }, [], []), []);
  assertEquals(explain(CASE, []), ["state     released (mcp-2025-11-25.1, mcp-2026-07-28.1)"]);
  assertEquals(explain(CASE, [ERRATUM]), [
    "state     released (mcp-2025-11-25.1)",
    "state     disputed (mcp-2026-07-28.1)",
    "erratum   mcp-2026-07-28.1-e1, disputed: The server may omit the member.",
    "issue     https://b.example/1",
  ]);
  const ended = { date: "2027-01-02", reason: "r" };
  assertEquals(explain(CASE, [{ ...ERRATUM, ended }]).length, 1);
});

Deno.test("formatStates() names a lower level and other accepted values", () => {
  assertEquals(explain(CASE, [{ ...ERRATUM, effect: "level", level: "SHOULD" }]), [
    "state     released (mcp-2025-11-25.1, mcp-2026-07-28.1)",
    "erratum   mcp-2026-07-28.1-e1, level SHOULD: The server may omit the member.",
    "issue     https://b.example/1",
  ]);
  assertEquals(
    explain(CASE, [{ ...ERRATUM, effect: "accepts" }])[1],
    "erratum   mcp-2026-07-28.1-e1, also accepts other values: The server may omit the member.",
  );
});
