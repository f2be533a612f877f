import { assertEquals } from "@std/assert";
import { countFloors, findFolderCycles, folderGraph } from "./folder_graph.ts";
import type { SourceFile } from "./layer_rules.ts";

function source(path: string, ...files: readonly string[]): SourceFile {
  const imports = files.map((file) => ({ specifier: file, file }));
  return { path, imports, dynamicImports: [] };
}

Deno.test("folderGraph() treats a folder as one node, and ignores imports of other members and of JSON files", () => {
  const graph = folderGraph("m", [
    source("m/mod.ts", "m/a/one.ts", "m/data.json", "n/mod.ts"),
    source("m/a/one.ts", "m/a/deep/two.ts"),
    source("m/a/deep/two.ts", "m/b/three.ts"),
    source("m/b/three.ts"),
    source("n/mod.ts", "m/a/one.ts"),
  ]);
  assertEquals(
    [...graph].map(([node, targets]) => [node, [...targets]]),
    [["mod.ts", ["a/"]], ["a/", ["b/"]], ["b/", []]],
  );
  assertEquals([findFolderCycles(graph), countFloors(graph)], [[], 3]);
});

Deno.test("findFolderCycles() returns each cycle once, and countFloors() counts it as one floor", () => {
  const graph = new Map([
    ["mod.ts", new Set(["a/"])],
    ["a/", new Set(["b/"])],
    ["b/", new Set(["a/", "c/"])],
    ["c/", new Set<string>()],
  ]);
  assertEquals([findFolderCycles(graph), countFloors(graph)], [[["a/", "b/"]], 3]);
});

Deno.test("countFloors() returns 0 for an empty graph", () => {
  assertEquals(countFloors(new Map()), 0);
});
