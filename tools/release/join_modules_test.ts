import { assertEquals } from "@std/assert";
import { findSharedFiles, type ModuleGraph, packageOf, withImport } from "./join_modules.ts";

/** Returns the graph with the static imports of each module, whose lengths are in `bytes`. */
function graphOf(
  imports: Readonly<Record<string, readonly string[]>>,
  bytes: Readonly<Record<string, number>> = {},
): ModuleGraph {
  return new Map(
    Object.entries(imports).map(([module, urls]) => [
      module,
      { imports: urls.map((url) => ({ url, isDynamic: false })), bytes: bytes[module] ?? 100 },
    ]),
  );
}

/**
 * Returns the shared files if every package outside the graph is joined, except `node:` modules.
 */
function sharedFiles(graph: ModuleGraph, entries: readonly string[]) {
  return findSharedFiles(graph, entries, (url) => !url.startsWith("node:"));
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

Deno.test("findSharedFiles() separates the modules that belong together with an import of a package", () => {
  assertEquals(sharedFiles(SERVER_AND_CLIENT, ["mod", "server_entry", "client_entry"]), [
    { modules: ["server", "tool", "schema"], importers: ["mod", "server_entry"] },
    { modules: ["error", "text"], importers: ["mod", "server_entry", "client_entry"] },
  ]);
});

Deno.test("findSharedFiles() joins the modules of the first entry point that import the same package", () => {
  const graph = graphOf({
    mod: ["agent", "parser"],
    agent_entry: ["agent"],
    schema_entry: ["schema"],
    stream_entry: ["parser"],
    agent: ["schema"],
    schema: ["validator package"],
    parser: ["parser package"],
  });
  assertEquals(sharedFiles(graph, ["mod", "agent_entry", "schema_entry", "stream_entry"]), [
    { modules: ["agent", "schema"], importers: ["mod", "agent_entry", "schema_entry"] },
    { modules: ["parser"], importers: ["mod", "stream_entry"] },
  ]);
});

Deno.test("findSharedFiles() omits modules that import a module of the platform", () => {
  const graph = graphOf({ mod: ["store"], file: ["store"], store: ["text"], text: ["node:fs"] });
  assertEquals(sharedFiles(graph, ["mod", "file"]), []);
});

Deno.test("findSharedFiles() omits long modules that the first entry point does not need", () => {
  const imports = { mod: ["text"], a: ["short", "text"], b: ["short", "long"], c: ["long"] };
  const graph = graphOf({ ...imports, text: [], short: [], long: [] }, {
    short: 10_000,
    long: 10_001,
  });
  assertEquals(sharedFiles(graph, ["mod", "a", "b", "c"]), [
    { modules: ["text", "short"], importers: ["mod", "a", "b"] },
  ]);
});

Deno.test("findSharedFiles() omits packages that the first entry point does not need", () => {
  const graph = graphOf({ mod: [], a: ["yaml"], b: ["yaml"], yaml: ["yaml package"] });
  assertEquals(sharedFiles(graph, ["mod", "a", "b"]), []);
});

Deno.test("findSharedFiles() returns an entry point that another entry point imports", () => {
  const graph = graphOf({ a: ["b"], b: [] });
  assertEquals(sharedFiles(graph, ["a", "b"]), [{ modules: ["b"], importers: ["a", "b"] }]);
});

Deno.test("findSharedFiles() follows modules that import each other", () => {
  const graph = graphOf({ a: ["c"], b: ["d"], c: ["d"], d: ["c"] });
  assertEquals(sharedFiles(graph, ["a", "b"]), [{ modules: ["c", "d"], importers: ["a", "b"] }]);
});

Deno.test("findSharedFiles() does not follow import()", () => {
  const graph: ModuleGraph = new Map([
    ...graphOf({ a: [], b: ["c"], c: [] }),
    ["a", { imports: [{ url: "c", isDynamic: true }], bytes: 100 }],
  ]);
  assertEquals(sharedFiles(graph, ["a", "b"]), []);
});

Deno.test("packageOf() returns the innermost package of a path", () => {
  assertEquals(packageOf("../node_modules/confbox/dist/yaml.mjs"), "confbox");
  assertEquals(packageOf("file:///a/node_modules/@noble/ed25519/index.js"), "@noble/ed25519");
  assertEquals(packageOf("/node_modules/a/node_modules/@b/c/index.js"), "@b/c");
  assertEquals(packageOf("../esm/signing/node_modules.js"), undefined);
});

Deno.test("withImport() adds the import to the first line of code", () => {
  const withShared = withImport("start();\nstop();\n", "./shared.js");
  assertEquals(withShared, 'import "./shared.js"; start();\nstop();\n');
});

Deno.test("withImport() leaves the first line of a command unchanged", () => {
  const withShared = withImport("#!/usr/bin/env node\nstart();\n", "./shared.js");
  assertEquals(withShared, '#!/usr/bin/env node\nimport "./shared.js"; start();\n');
});
