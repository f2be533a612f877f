import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Case } from "./case.ts";
import { KitError } from "./error.ts";
import { loadSuite } from "../suite.ts";
import { fitsId, selectCases } from "./select_cases.ts";

function make(id: string, more: Partial<Case> = {}): Case {
  return {
    id,
    kind: "vector",
    title: "t",
    level: "MUST",
    basis: "spec",
    clauses: ["A-1"],
    why: "w",
    op: "comm.x",
    rows: [],
    ...more,
  } as Case;
}

const ALL = [
  make("comm/a/one"),
  make("comm/a/two", { level: "SHOULD" }),
  make("comm/a/b/three", { level: "INFO", basis: "decision" }),
  make("mcp/a/four", { aliases: ["mcp/old/four"] }),
];

function ids(selection: Parameters<typeof selectCases>[1]): readonly string[] {
  return selectCases(ALL, selection).map(({ id }) => id.split("/").at(-1) ?? "");
}

Deno.test("selectCases() returns all cases by default, otherwise the cases that meet all criteria", () => {
  assertEquals(ids({}), ["one", "two", "three", "four"]);
  assertEquals(ids({ libraries: ["mcp"] }), ["four"]);
  assertEquals(ids({ only: ["comm/a/*"] }), ["one", "two"]);
  assertEquals(ids({ only: ["comm/**"] }), ["one", "two", "three"]);
  assertEquals(ids({ only: ["mcp/old/*"] }), ["four"]);
  assertEquals(ids({ skip: ["**/t*"] }), ["one", "four"]);
  assertEquals(ids({ level: "SHOULD" }), ["one", "two", "four"]);
  assertEquals(ids({ profile: "core" }), ["one", "two", "four"]);
  assertEquals(ids({ profile: "parley" }), ["three"]);
  assertEquals(ids({ profile: "all" }), ["one", "two", "three", "four"]);
  assertEquals(ids({ set: new Set(["comm/a/one"]) }), ["one"]);
});

Deno.test("selectCases() throws if a pattern matches no id", () => {
  const error = assertThrows(() => ids({ only: ["comm/c*/one"] }), KitError, '"comm/c*/one"');
  assertEquals(error.code, "usage");
});

Deno.test("fitsId() treats every character except `*` literally", () => {
  assertEquals(fitsId("a.b", "aXb"), false);
  assertEquals(fitsId("a/*/c", "a/b/c"), true);
  assertEquals(fitsId("a/*", "a/b/c"), false);
  assertEquals(fitsId("a/**", "a/b/c"), true);
});

Deno.test("selectCases() returns the cases that have all requested labels", () => {
  const chosen = selectCases(loadSuite().values(), { flags: ["read-only"] });
  assert(chosen.length > 150);
  // Invariants send nothing themselves.
  assert(chosen.every((each) => "role" in each && each.role === "server"));
  assert(chosen.every(({ kind }) => kind === "exchange" || kind === "invariant"));
  // Cases that need fixtures can have side effects, so they must not have the label "read-only".
  assertEquals(chosen.filter(({ needs }) => needs?.fixtures !== undefined), []);
});

Deno.test("selectCases() throws if no case has a requested label", () => {
  const flags = ["read-only", "readonly"];
  const error = assertThrows(
    () => selectCases(loadSuite().values(), { flags }),
    KitError,
    'Cannot select cases: no case has the label "readonly"',
  );
  assertEquals(error.code, "usage");
});

Deno.test("selectCases() moves invariants behind all other cases", () => {
  const cases = [make("mcp/a/rule", { kind: "invariant" }), make("mcp/a/b"), make("mcp/a/c")];
  assertEquals(selectCases(cases).map(({ id }) => id), ["mcp/a/b", "mcp/a/c", "mcp/a/rule"]);
});
