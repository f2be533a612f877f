import { assertEquals } from "@std/assert";
import { findUnused } from "./prune_declarations.ts";

Deno.test("findUnused() returns the declarations that no entry point imports in any form", () => {
  const declarations = new Map([
    ["mod.d.ts", `export { a } from "./a/a.js";\nimport "./side.js";\n`],
    ["did/web.d.ts", `export declare const b: import("../a/b.js").B;\n`],
    ["a/a.d.ts", `/** import { x } from "./missing.js"; */\nimport type { C } from './c.js';\n`],
    ["a/b.d.ts", ""],
    ["a/c.d.ts", `import type { A } from "./a.js";\n`],
    ["side.d.ts", `import "node:fs";\nimport "zod";\n`],
    ["unused.d.ts", `import "./unused_too.js";\n`],
    ["unused_too.d.ts", `import "./unused.js";\n`],
    ["bin.d.ts", `export {};\n`],
  ]);
  assertEquals(findUnused(declarations, ["mod.d.ts", "did/web.d.ts"]), [
    "unused.d.ts",
    "unused_too.d.ts",
    "bin.d.ts",
  ]);
});
