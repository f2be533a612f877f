import { assertEquals } from "@std/assert";
import { nameModules, nameOfModules } from "./main.ts";

const NAMES = nameOfModules([{
  folder: "comm",
  name: "@parley/comm",
  version: "0.1.0",
  exports: new Map([[".", "mod.ts"], ["./canonical-json", "canonical_json.ts"]]),
}]);

Deno.test("nameModules() replaces the paths of entry points in headings and lists", () => {
  const text = [
    "# comm/mod",
    "- [comm/canonical\\_json](comm/canonical_json/index.md)",
    "- [other/mod](other/mod/index.md)",
    "## comm/mod",
  ].join("\n");
  assertEquals(
    nameModules(text, NAMES),
    [
      "# @parley/comm",
      "- [@parley/comm/canonical-json](comm/canonical_json/index.md)",
      "- [other/mod](other/mod/index.md)",
      "## comm/mod",
    ].join("\n"),
  );
});
