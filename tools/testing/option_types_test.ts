import { assertEquals } from "@std/assert";
import { findOptionTypes, readOptionTypes } from "./option_types.ts";

const LOCATION = { filename: "file:///repo/m/a.ts", line: 4 };

/** Returns a reference to a type, such as `Omit<A, "x" | "y">`. */
function reference(typeName: string, ...typeParams: readonly object[]) {
  return { kind: "typeRef", value: { typeName, typeParams } };
}

function names(...strings: readonly string[]) {
  const literals = strings.map((string) => ({
    kind: "literal",
    value: { kind: "string", string },
  }));
  return { kind: "union", value: literals };
}

/** Returns the members of a type that is declared beside the interface `BaseOptions`. */
function membersOf(def: object, kind = "interface") {
  const properties = [{ name: "a" }, { name: "b", optional: true }];
  const base = { kind: "interface", location: LOCATION, def: { properties } };
  const symbols = [
    { name: "BaseOptions", declarations: [base] },
    { name: "TheOptions", declarations: [{ kind, location: LOCATION, def }] },
    { name: "Other", declarations: [base] },
  ];
  const types = findOptionTypes(
    { nodes: { "file:///repo/m/mod.ts": { symbols } } },
    "file:///repo/",
  );
  assertEquals([...types.keys()], ["BaseOptions", "TheOptions"]);
  const found = types.get("TheOptions");
  assertEquals(found?.place, "m/a.ts:5");
  return [...found?.members ?? []].map(([name, { isOptional }]) =>
    `${name}${isOptional ? "?" : ""}`
  );
}

Deno.test("findOptionTypes() finds the members of interfaces with their bases", () => {
  const own = [{ name: "c", optional: true }];
  assertEquals(membersOf({ properties: own }), ["c?"]);
  assertEquals(membersOf({ properties: own, extends: [reference("BaseOptions")] }), [
    "a",
    "b?",
    "c?",
  ]);
  assertEquals(membersOf({ methods: [{ name: "run" }] }), ["run"]);
  const omitted = reference("Omit", reference("BaseOptions"), names("a"));
  assertEquals(membersOf({ properties: own, extends: [omitted] }), ["b?", "c?"]);
});

Deno.test("findOptionTypes() finds the members of type aliases", () => {
  const base = reference("BaseOptions");
  const table: readonly (readonly [object, readonly string[]])[] = [
    [base, ["a", "b?"]],
    [reference("Partial", base), ["a?", "b?"]],
    [reference("Required", base), ["a", "b"]],
    [reference("Readonly", base), ["a", "b?"]],
    [reference("Pick", base, names("b")), ["b?"]],
    [reference("Omit", base, names("b")), ["a"]],
    [{ kind: "typeLiteral", value: { properties: [{ name: "x" }] } }, ["x"]],
    [
      {
        kind: "intersection",
        value: [base, { kind: "typeLiteral", value: { properties: [{ name: "x" }] } }],
      },
      ["a", "b?", "x"],
    ],
    [{ kind: "union", value: [base] }, ["a", "b?"]],
    [
      {
        kind: "union",
        value: [base, {
          kind: "typeLiteral",
          value: { properties: [{ name: "a" }, { name: "b" }, { name: "c" }] },
        }],
      },
      ["a"],
    ],
  ];
  for (const [tsType, expected] of table) {
    assertEquals(membersOf({ tsType }, "typeAlias"), [...expected], JSON.stringify(tsType));
  }
});

Deno.test("readOptionTypes() reads the options types of a member", async () => {
  const types = await readOptionTypes("comm");
  const members = types.get("VerifyMessageOptions")?.members;
  assertEquals(members?.has("recipient"), true);
  assertEquals(members?.get("signal"), { isOptional: true });
});
