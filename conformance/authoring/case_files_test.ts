import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { JsonObject } from "../kit/json.ts";
import { readSuite } from "../kit/load_cases.ts";
import {
  arrangeCases,
  type CaseTexts,
  findDifferences,
  parseCaseFiles,
  replaceCases,
} from "./case_files.ts";

const CASE = {
  id: "comm/a/one",
  title: "t",
  level: "MUST",
  basis: "spec",
  clauses: ["COMM-ABORT-1"],
  why: "w",
  source: "by hand",
  kind: "vector",
  op: "comm.x",
  input: {},
  expect: { ok: {} },
};

function textsOf(files: Readonly<Record<string, JsonObject>>): CaseTexts {
  return new Map(
    Object.entries(files).map(([path, file]) => [path, JSON.stringify({ kit: 1, ...file })]),
  );
}

function arrange(texts: CaseTexts): CaseTexts {
  return arrangeCases(parseCaseFiles(texts));
}

/** Returns the complete cases without the names of their files. */
function completeCases(texts: CaseTexts): readonly unknown[] {
  const files = new Map([...texts].map(([path, text]) => [path, JSON.parse(text)]));
  return [...readSuite(files).values()].map(({ file: _, ...each }) => each)
    .toSorted((a, b) => a.id < b.id ? -1 : 1);
}

function partsOf(texts: CaseTexts, path: string) {
  const { $schema, defaults, values, cases } = JSON.parse(texts.get(path) ?? "{}");
  return { $schema, defaults, values, cases };
}

Deno.test("arrangeCases() moves each case to the file of its topic, after the cases that stay there", () => {
  const moved = { ...CASE, id: "comm/a/moved" };
  const other = { ...CASE, id: "comm/a/other", clauses: ["COMM-TIME-1"] };
  const texts = textsOf({
    "comm/a.json": { cases: [moved, other] },
    "comm/abort.json": { cases: [CASE] },
  });
  const arranged = arrange(texts);
  assertEquals([...arranged.keys()], ["comm/abort.json", "comm/time.json"]);
  const { $schema, cases } = partsOf(arranged, "comm/abort.json");
  assertEquals($schema, "../../schemas/case.schema.json");
  assertEquals(cases.map(({ id }: JsonObject) => id), ["comm/a/one", "comm/a/moved"]);
  assertEquals(completeCases(arranged), completeCases(texts));
});

Deno.test("arrangeCases() makes a member a default if all cases have it and most have the same value", () => {
  const cases = [
    { ...CASE, refs: ["https://a.example"], needs: { ops: ["comm.a"] } },
    { ...CASE, id: "comm/a/two", refs: ["https://b.example"], needs: { ops: ["comm.a"] } },
    { ...CASE, id: "comm/a/three", source: "RFC", needs: { ops: ["comm.a"] } },
  ];
  const texts = textsOf({ "comm/abort.json": { cases } });
  const arranged = arrange(texts);
  const { defaults, cases: written } = partsOf(arranged, "comm/abort.json");
  assertEquals(defaults, { source: "by hand", needs: { ops: ["comm.a"] }, kind: "vector" });
  assertEquals(written.map(({ source }: JsonObject) => source), [undefined, undefined, "RFC"]);
  assertEquals(completeCases(arranged), completeCases(texts));
});

Deno.test("arrangeCases() keeps short forms, and writes out the values of a case that moves", () => {
  const input = { a: { $value: "v" }, b: { $repeat: ["x", 3] }, c: [{ $value: "nothing" }] };
  const stays = { ...CASE, input };
  const moves = { ...CASE, id: "comm/a/moves", clauses: ["COMM-TIME-1"], input };
  const texts = textsOf({
    "comm/abort.json": {
      values: { v: [{ c: 1 }], unused: 1, nothing: null },
      cases: [stays, moves],
    },
  });
  const arranged = arrange(texts);
  const { values, cases: [first] } = partsOf(arranged, "comm/abort.json");
  assertEquals([values, first.input], [{ v: [{ c: 1 }], nothing: null }, input]);
  const { values: none, cases: [second] } = partsOf(arranged, "comm/time.json");
  assertEquals([none, second.input], [undefined, { ...input, a: [{ c: 1 }], c: [null] }]);
  assertEquals(completeCases(arranged), completeCases(texts));
});

Deno.test("arrangeCases() changes nothing in files that it has arranged, and no case", () => {
  const made = fc.record({
    clauses: fc.constantFrom(["COMM-ABORT-1"], ["COMM-TIME-2"]),
    source: fc.constantFrom("a", "b"),
    needs: fc.constantFrom(undefined, { ops: ["comm.a"] }, { features: ["f"] }),
    input: fc.constantFrom({}, { a: { $value: "v" } }, { a: { $join: ["x", "y"] } }),
  });
  fc.assert(
    fc.property(fc.array(made, { minLength: 2, maxLength: 6 }), fc.nat(6), (list, split) => {
      const cases = list.map((each, index) => ({ ...CASE, ...each, id: `comm/a/c${index}` }));
      const parts = [cases.slice(0, split), cases.slice(split)].filter((part) => part.length > 0);
      const texts = new Map(
        parts.map((part, index) => [
          ["comm/abort.json", "comm/b.json"][index] ?? "",
          JSON.stringify({ kit: 1, values: { v: { w: 1 } }, cases: part }),
        ]),
      );
      const arranged = arrange(texts);
      assertEquals(completeCases(arranged), completeCases(texts));
      assertEquals([...arrange(arranged)], [...arranged]);
    }),
    propertyRuns(50),
  );
});

Deno.test("arrangeCases() rejects a file that is too large", () => {
  const cases = [{ ...CASE, input: { text: "a".repeat(150_000) } }];
  assertThrows(
    () => arrange(textsOf({ "comm/abort.json": { cases } })),
    RangeError,
    "Cannot write comm/abort.json: the file has 150",
  );
});

Deno.test("parseCaseFiles() throws an error with the path of a file that is not valid", () => {
  const texts = textsOf({ "comm/abort.json": { cases: [{ ...CASE, level: "WOULD" }] } });
  assertThrows(() => parseCaseFiles(texts), SyntaxError, "comm/abort.json: /cases/0/level");
});

Deno.test("replaceCases() replaces only the cases of the areas, and keeps equal cases as they are written", () => {
  const equal = { ...CASE, input: { a: { $repeat: ["x", 2] } } };
  const foreign = { ...CASE, id: "comm/b/one" };
  const gone = { ...CASE, id: "comm/a/gone" };
  const old = { ...CASE, id: "comm/a/old", refs: ["https://a.example"] };
  const files = parseCaseFiles(
    textsOf({ "comm/abort.json": { cases: [equal, foreign, gone, old] } }),
  );
  const changed = { ...CASE, id: "comm/a/old" };
  const added = { ...CASE, id: "comm/a/added", clauses: ["COMM-TIME-1"] };
  const made = [{ ...CASE, input: { a: "xx" } }, changed, added];
  const arranged = arrangeCases(replaceCases(files, ["comm/a"], made));
  const { cases } = partsOf(arranged, "comm/abort.json");
  assertEquals(cases.map(({ id }: JsonObject) => id), ["comm/a/one", "comm/b/one", "comm/a/old"]);
  assertEquals(cases[0].input, { a: { $repeat: ["x", 2] } });
  assertEquals(cases[2].refs, undefined);
  assertEquals(partsOf(arranged, "comm/time.json").cases[0].id, "comm/a/added");
});

Deno.test("findDifferences() names each file that differs, with its first differing line", () => {
  const arranged = arrange(textsOf({ "comm/abort.json": { cases: [CASE] } }));
  const text = arranged.get("comm/abort.json") ?? "";
  assert(text !== "");
  const texts = new Map([["comm/a.json", text], ["comm/abort.json", text.replace("by hand", "x")]]);
  assertEquals(findDifferences(arranged, arranged), []);
  assertEquals(findDifferences(texts, arranged), [
    "comm/a.json: its cases belong in other files",
    "comm/abort.json:4 is not as deno task cases writes it",
  ]);
  assertEquals(findDifferences(new Map(), arranged), [
    "comm/abort.json is missing, and cases of other files belong in it",
  ]);
});
