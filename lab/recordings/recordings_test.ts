import { assert } from "@std/assert";
import { parseRecording } from "../../conformance/recording/format.ts";

const HERE = new URL(".", import.meta.url);

Deno.test("all recordings can be parsed", async () => {
  let count = 0;
  for await (const { name } of Deno.readDir(HERE)) {
    if (!name.endsWith(".jsonl")) continue;
    const { events } = parseRecording(await Deno.readTextFile(new URL(name, HERE)), name);
    assert(events.length > 10, name);
    count++;
  }
  assert(count >= 5);
});
