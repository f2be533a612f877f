import { assertEquals, assertStringIncludes } from "@std/assert";
import { formatSetModule } from "./set_module.ts";
import { isSetModuleCurrent, readSetFiles } from "./set_folder.ts";

Deno.test("formatSetModule() imports the released sets and their errata", () => {
  const text = formatSetModule([
    "mcp-2026-07-28.1.errata.json",
    "draft.json",
    "mcp-2026-07-28.1.json",
  ]);
  assertStringIncludes(
    text,
    `import mcp20260728Set1 from "../requirements/mcp-2026-07-28.1.json" with { type: "json" };
import mcp20260728Set1Errata from "../requirements/mcp-2026-07-28.1.errata.json" with { type: "json" };
`,
  );
  assertStringIncludes(text, "RELEASED_SETS: readonly unknown[] = [\n  mcp20260728Set1,\n];\n");
  assertStringIncludes(text, "ERRATA: readonly unknown[] = [\n  mcp20260728Set1Errata,\n];\n");
});

Deno.test("the module of released sets imports all files of the folder", async () => {
  assertEquals(await isSetModuleCurrent(await readSetFiles()), true);
});
