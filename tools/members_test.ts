import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "./cli.ts";
import { importEverything, INTERNAL, readMembers, readPackages, ROOT } from "./members.ts";

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

/** Configurations that are not in the workspace, so that their import maps list the shared code. */
const SEPARATE = ["bench", "examples/cluster", "interop", "tools/runtimes"];

Deno.test("every separate configuration lists all entry points of the shared code", async () => {
  const internal = (await readMembers()).find(({ folder }) => folder === INTERNAL);
  assert(internal !== undefined);
  for (const folder of SEPARATE) {
    const up = "../".repeat(folder.split("/").length);
    const expected = [...internal.exports].map(([name, path]) => [
      `${internal.name}${name.slice(1)}`,
      `${up}${INTERNAL}/${path}`,
    ]);
    const { imports } = JSON.parse(await Deno.readTextFile(new URL(`${folder}/deno.json`, ROOT)));
    const listed: unknown = Object.entries(imports).filter(([name]) =>
      name.startsWith(`${internal.name}/`)
    );
    assertEquals(listed, expected, folder);
  }
});
