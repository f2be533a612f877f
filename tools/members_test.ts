import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "./cli.ts";
import { importEverything, readMembers, readPackages, ROOT } from "./members.ts";

Deno.test("readMembers() reads names and entry points of the workspace", async () => {
  const members = await readMembers();
  assertEquals(members.map(({ folder, name }) => [folder, name]), [
    ["internal", "@parley/internal"],
    ["comm", "@parley/comm"],
    ["runtime", "@parley/runtime"],
    ["mcp", "@parley/mcp"],
    ["conformance", "@parley/conformance"],
  ]);
});

Deno.test("readPackages() omits the member that is not public", async () => {
  const packages = await readPackages();
  assertEquals(packages.map(({ folder }) => folder), ["comm", "runtime", "mcp", "conformance"]);
  for (const { exports } of packages) assertEquals(exports.get("."), "mod.ts");
});

Deno.test("readMembers() throws an error that names the unreadable file", async () => {
  await assertRejects(() => readMembers(new URL("none/", ROOT)), ToolError, "none/deno.json");
});

Deno.test("importEverything() imports every entry point by its package name", () => {
  const members = [{ name: "@x/y", exports: new Map([[".", "mod.ts"], ["./sub", "sub.ts"]]) }];
  assertEquals(importEverything(members), 'import "@x/y";\nimport "@x/y/sub";\n');
});
