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

Deno.test("withImport() adds the import to the first line of code", () => {
  const withShared = withImport("start();\nstop();\n", "./shared.js");
  assertEquals(withShared, 'import "./shared.js"; start();\nstop();\n');
});

Deno.test("withImport() leaves the first line of a command unchanged", () => {
  const withShared = withImport("#!/usr/bin/env node\nstart();\n", "./shared.js");
  assertEquals(withShared, '#!/usr/bin/env node\nimport "./shared.js"; start();\n');
});
