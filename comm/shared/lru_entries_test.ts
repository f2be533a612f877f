import { assertEquals } from "@std/assert";
import { LruEntries } from "./lru_entries.ts";

Deno.test("LruEntries evicts the least recently used entries above its limits", () => {
  const entries = new LruEntries<{ readonly bytes: number }>({ maxEntries: 3, maxBytes: 100 });
  for (const key of ["a", "b", "c"]) entries.add(key, { bytes: 20 }, key);
  entries.use("a");
  entries.add("d", { bytes: 20 }, "d");
  const keys = ["a", "b", "c", "d"];
  assertEquals(keys.filter((key) => entries.use(key) !== undefined), ["a", "c", "d"]);
  entries.add("e", { bytes: 90 }, "e");
  assertEquals([...keys, "e"].filter((key) => entries.use(key) !== undefined), ["e"]);
});

Deno.test("LruEntries does not add an entry that exceeds maxBytes alone", () => {
  const entries = new LruEntries<{ readonly bytes: number }>({ maxEntries: 3, maxBytes: 100 });
  entries.add("a", { bytes: 100 }, "party");
  entries.add("b", { bytes: 101 }, "party");
  assertEquals([entries.use("a")?.bytes, entries.use("b")], [100, undefined]);
  entries.add("a", { bytes: 101 }, "party");
  assertEquals(entries.use("a"), undefined);
});

Deno.test("LruEntries evicts entries of the party that has most entries", () => {
  const entries = new LruEntries({ maxEntries: 4, maxBytes: 100 });
  entries.add("ann", { bytes: 1 }, "ann");
  for (let n = 0; n < 10; n++) entries.add(`eve${n}`, { bytes: 1 }, "eve");
  entries.add("bob", { bytes: 1 }, "bob");
  assertEquals([...entries.keys()], ["ann", "eve8", "eve9", "bob"]);
});

Deno.test("LruEntries evicts entries of the party that uses most bytes", () => {
  const entries = new LruEntries({ maxEntries: 100, maxBytes: 100 });
  for (let n = 0; n < 3; n++) entries.add(`ann${n}`, { bytes: 5 }, "ann");
  for (let n = 0; n < 10; n++) entries.add(`eve${n}`, { bytes: 40 }, "eve");
  entries.add("bob", { bytes: 50 }, "bob");
  assertEquals([...entries.keys()], ["ann0", "ann1", "ann2", "bob"]);
});

Deno.test("LruEntries lets one party use all capacity, and counts deleted entries no longer", () => {
  const entries = new LruEntries({ maxEntries: 3, maxBytes: 100 });
  for (const key of ["a", "b", "c"]) entries.add(key, { bytes: 30 }, "ann");
  entries.delete("a");
  entries.delete("a");
  entries.add("d", { bytes: 40 }, "bob");
  assertEquals([...entries.keys()], ["b", "c", "d"]);
  assertEquals([entries.has("a"), entries.has("d")], [false, true]);
});
