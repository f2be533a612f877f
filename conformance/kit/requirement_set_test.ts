import { assertEquals } from "@std/assert";
import type { VectorCase } from "./case.ts";
import {
  belongsToFamily,
  protocolVersionOfFamily,
  readRequirementSet,
  readSetName,
  SET_FAMILIES,
} from "./requirement_set.ts";

const CASE: VectorCase = {
  id: "comm/x/y",
  kind: "vector",
  title: "t",
  level: "MUST",
  basis: "spec",
  clauses: ["COMM-X-1"],
  why: "w",
  source: "s",
  op: "comm.x",
  rows: [{ name: "", input: {}, expect: { ok: {} } }],
};

function familiesOf(more: Partial<VectorCase>): readonly string[] {
  return SET_FAMILIES.filter((family) => belongsToFamily({ ...CASE, ...more }, family));
}

Deno.test("belongsToFamily() separates the requirements of this project from all other requirements", () => {
  const rows: readonly (readonly [Partial<VectorCase>, readonly string[]])[] = [
    [{}, ["comm"]],
    [{ basis: "rfc8785" }, ["comm"]],
    [{ basis: "decision" }, ["comm-parley"]],
    [{ id: "runtime/x/y", basis: "contract:openai-chat" }, ["runtime-core"]],
    [{ id: "runtime/x/y", basis: "decision" }, ["runtime-parley"]],
    [{ id: "runtime/x/y", basis: "spec" }, ["runtime-parley"]],
    [{ id: "model/x/y", basis: "contract:gemini" }, ["model"]],
    [{ id: "model/x/y", basis: "decision" }, ["model-parley"]],
    [{ id: "mcp/x/y", basis: "decision" }, ["mcp-parley"]],
    [{ id: "mcp/x/y", basis: "decision", revisions: { from: "2026-07-28" } }, ["mcp-parley"]],
  ];
  for (const [more, families] of rows) assertEquals(familiesOf(more), families);
});

Deno.test("belongsToFamily() compares the protocol versions of a case, inclusively", () => {
  const rows: readonly (readonly [VectorCase["revisions"] & object, readonly string[]])[] = [
    [{ from: "2025-11-25" }, ["mcp-2025-11-25", "mcp-2026-07-28"]],
    [{ to: "2025-03-26" }, ["mcp-2024-11-05", "mcp-2025-03-26"]],
    [{ from: "2025-06-18", to: "2025-06-18" }, ["mcp-2025-06-18"]],
    [
      {},
      ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"].map((each) =>
        `mcp-${each}`
      ),
    ],
  ];
  for (const [revisions, families] of rows) {
    assertEquals(familiesOf({ id: "mcp/x/y", basis: "jsonrpc", revisions }), families);
  }
});

Deno.test("belongsToFamily() excludes proposed cases and cases that are only reported", () => {
  assertEquals(familiesOf({ state: "proposed" }), []);
  assertEquals(familiesOf({ level: "INFO" }), []);
});

Deno.test("readSetName() takes the names of sets and families apart", () => {
  assertEquals(readSetName("mcp-2026-07-28"), { family: "mcp-2026-07-28" });
  assertEquals(readSetName("mcp-2026-07-28.12"), { family: "mcp-2026-07-28", number: "12" });
  assertEquals(readSetName("comm.draft"), { family: "comm", number: "draft" });
  for (
    const text of [
      "",
      "comm-0.1.0",
      "comm.0",
      "comm.01",
      "comm.1.errata",
      "mcp-2026-07-29",
      "comm.",
    ]
  ) {
    assertEquals(readSetName(text), undefined, text);
  }
});

Deno.test("protocolVersionOfFamily() returns the version of families that have one", () => {
  assertEquals(protocolVersionOfFamily("mcp-2025-11-25"), "2025-11-25");
  assertEquals(protocolVersionOfFamily("mcp-parley"), undefined);
});

Deno.test("readRequirementSet() accepts a sorted set of a known family, and nothing else", () => {
  const entry = (id: string) => ({ id, level: "MUST" as const, digest: "0".repeat(32) });
  const set = {
    name: "comm.1",
    format: 1,
    kit: "0.1.0",
    frozen: "2026-12-01",
    digest: "0".repeat(64),
    cases: [entry("comm/a/a"), entry("comm/a/b")],
  };
  assertEquals(readRequirementSet(set), { ok: true, value: set });
  const rows: readonly (readonly [unknown, string])[] = [
    [{ ...set, name: "other.1" }, '"other.1" is not the name of a released set'],
    [{ ...set, cases: set.cases.toReversed() }, '"comm/a/a" is not in the order of the ids'],
    [
      { ...set, cases: [entry("comm/a/a"), entry("comm/a/a")] },
      '"comm/a/a" is not in the order of the ids',
    ],
  ];
  for (const [value, reason] of rows) {
    assertEquals(readRequirementSet(value), { ok: false, reason });
  }
  for (
    const value of [undefined, [], { ...set, name: "comm.draft" }, { ...set, more: 1 }, {
      ...set,
      digest: "0",
    }]
  ) {
    assertEquals(readRequirementSet(value).ok, false, JSON.stringify(value));
  }
});
