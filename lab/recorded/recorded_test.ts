import { assert, assertEquals } from "@std/assert";
import { formatCaseFile } from "../../conformance/kit/format_cases.ts";
import { parseCaseFile } from "../../conformance/kit/load_cases.ts";

const FOLDER = new URL("./", import.meta.url);

Deno.test("each file of recorded cases is valid, formatted, and not required of any server", async () => {
  let count = 0;
  for await (const { name } of Deno.readDir(FOLDER)) {
    if (!name.endsWith(".json")) continue;
    const text = await Deno.readTextFile(new URL(name, FOLDER));
    assertEquals(text, formatCaseFile(JSON.parse(text)), name);
    const { cases } = parseCaseFile(text, name);
    for (const { id, level, basis } of cases) {
      assertEquals([level, basis], ["INFO", "recorded"], id);
    }
    count += cases.length;
  }
  assert(count > 40);
});
