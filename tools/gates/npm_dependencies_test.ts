import { assertEquals } from "@std/assert";
import { compareDependencies, readDependencies } from "./npm_dependencies.ts";

Deno.test("readDependencies() returns the npm packages of a folder, types included", () => {
  const graph = {
    modules: [
      {
        specifier: "file:///r/m/mod.ts",
        dependencies: [
          { code: { specifier: "npm:/@noble/ed25519@3.2.0", span: { start: { line: 6 } } } },
          { type: { specifier: "npm:pg-boss@12/types" } },
          { code: { specifier: "file:///r/tools/offline/a.ts" } },
          { code: { specifier: "node:fs" } },
        ],
      },
      { specifier: "file:///r/m/a.ts", dependencies: [{ code: { specifier: "npm:pg-boss@12" } }] },
      {
        specifier: "file:///r/tools/offline/a.ts",
        dependencies: [{ code: { specifier: "npm:deno-std@1" } }],
      },
      { specifier: "file:///r/m/data.json" },
    ],
  };
  assertEquals(readDependencies(graph, "file:///r/m/", "file:///r/"), [
    { name: "@noble/ed25519", place: "m/mod.ts:7" },
    { name: "pg-boss", place: "m/mod.ts" },
  ]);
});

Deno.test("compareDependencies() names the places of packages that are not listed or not needed", () => {
  const lists = { m: ["a", "b"] };
  const file = "tools/gates/npm_dependencies.json";
  const imports = (...names: readonly string[]) =>
    names.map((name) => ({ name, place: `m/${name}.ts:2` }));
  assertEquals(compareDependencies("m", imports("a", "b"), lists), []);
  assertEquals(compareDependencies("m", imports("a", "c"), lists, '{\n  "m": ["a",\n  "b"]\n}\n'), [
    `m/c.ts:2 imports "c": remove the import, or add the package to ${file} and to the decisions`,
    `${file}:3 lists "b", which m no longer imports: remove it`,
  ]);
  assertEquals(compareDependencies("n", [], lists), []);
});
