import { assertEquals } from "@std/assert";
import { compareDependencies, readDependencies } from "./npm_dependencies.ts";

Deno.test("readDependencies() returns the npm packages of a folder, types included", () => {
  const graph = {
    modules: [
      {
        specifier: "file:///r/m/mod.ts",
        dependencies: [
          { code: { specifier: "npm:/@noble/ed25519@3.2.0" } },
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
  assertEquals(readDependencies(graph, "file:///r/m/"), ["@noble/ed25519", "pg-boss"]);
});

Deno.test("compareDependencies() names packages that are not listed and those that are not needed", () => {
  const lists = { m: ["a", "b"] };
  const file = "tools/gates/npm_dependencies.json";
  assertEquals(compareDependencies("m", ["a", "b"], lists), []);
  assertEquals(compareDependencies("m", ["a", "c"], lists), [
    `m depends on "c": remove the import, or add the package to ${file} and to the decisions`,
    `m no longer depends on "b": remove it from ${file}`,
  ]);
  assertEquals(compareDependencies("n", [], lists), []);
});
