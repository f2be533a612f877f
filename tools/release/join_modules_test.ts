import { assertEquals } from "@std/assert";
import { findSharedModules, type ModuleGraph, withImport } from "./join_modules.ts";

/** Returns the graph with the static imports of each module. */
function graphOf(imports: Readonly<Record<string, readonly string[]>>): ModuleGraph {
  return new Map(
    Object.entries(imports).map(([module, urls]) => [
      module,
      urls.map((url) => ({ url, isDynamic: false })),
    ]),
  );
}

const SERVER_AND_CLIENT = graphOf({
  mod: ["server", "error"],
  server_entry: ["server", "error"],
  client_entry: ["error"],
  server: ["tool", "schema"],
  tool: [],
  schema: ["validator package"],
  error: ["text"],
  text: [],
});

Deno.test("findSharedModules() returns the modules that more than one entry point imports", () => {
  const shared = findSharedModules(SERVER_AND_CLIENT, ["mod", "server_entry", "client_entry"]);
  assertEquals([...shared], ["error", "text"]);
});

Deno.test("findSharedModules() omits modules that belong together with an import of a package", () => {
  const shared = findSharedModules(SERVER_AND_CLIENT, ["mod", "server_entry"]);
  assertEquals([...shared], []);
});

Deno.test("findSharedModules() returns an entry point that another entry point imports", () => {
  const graph = graphOf({ a: ["b"], b: [] });
  assertEquals([...findSharedModules(graph, ["a", "b"])], ["b"]);
});

Deno.test("findSharedModules() follows modules that import each other", () => {
  const graph = graphOf({ a: ["c"], b: ["d"], c: ["d"], d: ["c"] });
  assertEquals([...findSharedModules(graph, ["a", "b"])], ["c", "d"]);
});

Deno.test("findSharedModules() does not follow import()", () => {
  const graph = new Map([
    ...graphOf({ a: [], b: ["c"], c: [] }),
    ["a", [{ url: "c", isDynamic: true }]],
  ]) satisfies ModuleGraph;
  assertEquals([...findSharedModules(graph, ["a", "b"])], []);
});

Deno.test("withImport() keeps the first line of a command, and the number of lines", () => {
  assertEquals(withImport("a();\n", "x"), 'import "x"; a();\n');
  assertEquals(
    withImport("#!/usr/bin/env node\na();\n", "x"),
    '#!/usr/bin/env node\nimport "x"; a();\n',
  );
});
