import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { DpopReplayCache } from "./dpop_replay_cache.ts";

Deno.test("isNew() returns false for a repeated proof until it expires", () => {
  using time = new FakeTime();
  const memory = new DpopReplayCache(10, 1000);
  assertEquals(["a", "b", "a"].map((proof) => memory.isNew(proof)), [true, true, false]);
  time.tick(999);
  assertEquals(memory.isNew("a"), false);
  time.tick(1);
  assertEquals(memory.isNew("a"), true);
});

Deno.test("a full DpopReplayCache evicts the oldest proof", () => {
  const memory = new DpopReplayCache(3, 1000);
  for (const proof of ["a", "b", "c"]) memory.isNew(proof);
  assertEquals(memory.isNew("d"), true);
  assertEquals(memory.isNew("c"), false);
  assertEquals(memory.isNew("a"), true);
});
