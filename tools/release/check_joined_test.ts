import { assert, assertEquals } from "@std/assert";
import { findImports, isDeclared } from "./check_joined.ts";

Deno.test("findImports() returns the specifiers of all kinds of imports", () => {
  const source = `import { a } from "a";
import "b";
export { c } from './c.js';
const d = await import("d");
const e = require( "e");
type F = import("f").F;
export * from"g";
`;
  assertEquals(findImports(source), ["a", "b", "./c.js", "d", "e", "f", "g"]);
});

Deno.test("findImports() ignores comments and other strings", () => {
  const source = `/** import { a } from "a"; */
// import "b";
const text = 'import "c";', from = "d", rows = ["e"];
`;
  assertEquals(findImports(source), []);
});

Deno.test("isDeclared() accepts the package itself, its dependencies and its files", () => {
  const manifest = {
    name: "@parley/mcp",
    dependencies: { "cross-spawn": "^7.0.6" },
    peerDependencies: { "pg-boss": "^12.0.0" },
  };
  const declared = ["@parley/mcp", "@parley/mcp/client", "cross-spawn", "pg-boss", "./a.js"];
  for (const each of [...declared, "../a.js", "node:fs", "#case-files"]) {
    assert(isDeclared(each, manifest), each);
  }
  for (const each of ["@parley/mcp-tools", "confbox/yaml", "@types/node", "fs", "cross"]) {
    assert(!isDeclared(each, manifest), each);
  }
});
