import { assertEquals } from "@std/assert";
import { ROOT } from "../members.ts";
import { embedStarters } from "./embed_starters.ts";

Deno.test("the packages contain the starters in examples/starters", async () => {
  for (const [path, text] of await embedStarters()) {
    const written = await Deno.readTextFile(new URL(path, ROOT));
    assertEquals(
      written,
      text,
      `${path} differs: run "deno run -A tools/release/embed_starters.ts"`,
    );
  }
});
