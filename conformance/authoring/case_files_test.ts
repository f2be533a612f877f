import { assertEquals } from "@std/assert";
import { findUnformatted } from "./case_files.ts";

const FORMATTED = '{\n  "kit": 1,\n  "cases": []\n}\n';

Deno.test("findUnformatted() names each file that is not formatted and its first differing line", () => {
  const texts = new Map([
    ["comm/a.json", FORMATTED],
    ["comm/b.json", '{\n  "cases": [],\n  "kit": 1\n}\n'],
    ["comm/c.json", FORMATTED.trimEnd()],
    ["comm/d.json", "{"],
    ["comm/e.json", "[]"],
  ]);
  assertEquals(findUnformatted(texts), [
    "comm/b.json:2 is not formatted; run deno task cases",
    "comm/c.json:5 is not formatted; run deno task cases",
    "comm/d.json is not a JSON object",
    "comm/e.json is not a JSON object",
  ]);
});
