import { assertEquals } from "@std/assert";
import { createRepeatFilter } from "./repeat_filter.ts";

Deno.test("a filter passes each text once", () => {
  const filter = createRepeatFilter(() => 0);
  assertEquals(["a", "b", "a"].map(filter), ["passes", "passes", "dropped"]);
});

Deno.test("a filter passes at most 20 texts per minute, also after the clock was set back", () => {
  let time = 1_000_000;
  const filter = createRepeatFilter(() => time);
  const results = Array.from({ length: 22 }, (_, n) => filter(`first ${n}`));
  assertEquals(results.slice(18), ["passes", "passes_last", "dropped", "dropped"]);
  time += 60_000;
  assertEquals(filter("first 21"), "passes");
  for (let n = 0; n < 30; n++) filter(`second ${n}`);
  time = 0;
  assertEquals(filter("third"), "passes");
});
