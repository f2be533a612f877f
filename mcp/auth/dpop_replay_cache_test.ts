import { assertEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { DpopReplayCache } from "./dpop_replay_cache.ts";

const NOW = 1_000_000_000;

function make(maxProofs: number, maxSharePerPrincipal = 1) {
  const cache = new DpopReplayCache({ maxProofs, maxSharePerPrincipal });
  return (key: string, subject = "ada", expiresAt = NOW + 60_000) =>
    cache.add({ key, subject, expiresAt });
}

Deno.test("add() returns false for a repeated proof until it expires", () => {
  using time = new FakeTime(NOW);
  const add = make(10);
  assertEquals(["a", "b", "a"].map((key) => add(key)), [true, true, false]);
  time.tick(60_000);
  assertEquals(add("a"), false);
  time.tick(10_000);
  assertEquals(add("a", "ada", NOW + 120_000), true);
});

Deno.test("a full DpopReplayCache rejects new proofs and keeps every valid proof", () => {
  using time = new FakeTime(NOW);
  const add = make(3);
  for (const key of ["a", "b", "c"]) add(key);
  assertEquals(["d", "a", "b", "c"].map((key) => add(key)), ["full", false, false, false]);
  time.tick(70_000);
  assertEquals(add("d", "ada", NOW + 120_000), true);
});

Deno.test("a principal that reaches its share does not keep others from the DpopReplayCache", () => {
  using _time = new FakeTime(NOW);
  const add = make(8, 0.25);
  assertEquals(["a", "b", "c"].map((key) => add(key, "eve")), [true, true, "full"]);
  assertEquals(["c", "d", "e"].map((key) => add(key, "ada")), [true, true, "full"]);
});

Deno.test("a clock that is set back does not block the DpopReplayCache", () => {
  const add = make(2);
  {
    using _time = new FakeTime(NOW);
    add("a", "ada", NOW + 60_000);
  }
  const earlier = NOW - 3_600_000;
  using time = new FakeTime(earlier);
  add("b", "ada", earlier + 60_000);
  assertEquals(add("c", "ada", earlier + 60_000), "full");
  time.tick(70_000);
  assertEquals(add("c", "ada", earlier + 120_000), true);
  assertEquals(add("a", "ada", NOW + 60_000), false);
});

Deno.test("DpopReplayCache rejects invalid limits", () => {
  for (const maxProofs of [0, NaN, Infinity, 1.5]) {
    assertThrows(() => new DpopReplayCache({ maxProofs }), RangeError, '"maxProofs"');
  }
  for (const maxSharePerPrincipal of [0, NaN, 1.1]) {
    assertThrows(
      () => new DpopReplayCache({ maxSharePerPrincipal }),
      RangeError,
      '"maxSharePerPrincipal"',
    );
  }
});
