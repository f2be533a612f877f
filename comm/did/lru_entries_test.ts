import { assertEquals } from "@std/assert";
import { LruEntries } from "./lru_entries.ts";

Deno.test("LruEntries evicts the least recently used entries above its limits", () => {
  const entries = new LruEntries<{ readonly bytes: number }>({ maxEntries: 3, maxBytes: 100 });
  for (const key of ["a", "b", "c"]) entries.add(key, { bytes: 20 });
  entries.use("a");
  entries.add("d", { bytes: 20 });
  const keys = ["a", "b", "c", "d"];
  assertEquals(keys.filter((key) => entries.use(key) !== undefined), ["a", "c", "d"]);
  entries.add("e", { bytes: 90 });
  assertEquals([...keys, "e"].filter((key) => entries.use(key) !== undefined), ["e"]);
});

Deno.test("LruEntries does not add an entry that exceeds maxBytes alone", () => {
  const entries = new LruEntries<{ readonly bytes: number }>({ maxEntries: 3, maxBytes: 100 });
  entries.add("a", { bytes: 100 });
  entries.add("b", { bytes: 101 });
  assertEquals([entries.use("a")?.bytes, entries.use("b")], [100, undefined]);
  entries.add("a", { bytes: 101 });
  assertEquals(entries.use("a"), undefined);
});
