import { assertEquals, assertThrows } from "@std/assert";
import {
  latencyOf,
  measureCpuRounds,
  measureFastestTurns,
  measureShortestRun,
  median,
  medianRatioOf,
  ratioOf,
  toCpuSpeeds,
} from "./measure.ts";

Deno.test("median() returns the middle of the sorted values", () => {
  assertEquals(median([30, 1, 2]), 2);
  assertEquals(median([10, 9]), 10);
  assertEquals(median([]), NaN);
});

Deno.test("medianRatioOf() compares contenders within each round", () => {
  const cost = (cpuUs: number, wallUs: number) => ({ cpuUs, wallUs });
  // The machine is ten times slower in the last round, for both contenders.
  const rounds = new Map([
    ["ours", [cost(1, 4), cost(2, 4), cost(10, 40)]],
    ["other", [cost(3, 8), cost(6, 8), cost(40, 80)]],
  ]);
  assertEquals(medianRatioOf(rounds, "ours", "other"), 3);
  assertEquals(medianRatioOf(rounds, "ours", "other", "wallUs"), 2);
  assertEquals([...toCpuSpeeds(rounds)], [["ours", 500_000], ["other", 1e6 / 6]]);
});

Deno.test("ratioOf() rejects a contender that was not measured", () => {
  assertEquals(ratioOf(new Map([["a", 6], ["b", 2]]), "a", "b"), 3);
  assertThrows(() => ratioOf(new Map([["a", 6]]), "a", "b"), RangeError, '"b"');
  assertThrows(() => medianRatioOf(new Map(), "a", "b"), RangeError, '"a"');
});

Deno.test("latencyOf() returns the mean and the quantiles", () => {
  const times = Array.from({ length: 200 }, (_, index) => 200 - index);
  assertEquals(latencyOf(times), { mean: 100.5, p50: 101, p98: 197, p99: 199 });
});

Deno.test("measureFastestTurns() counts the operations of a call", async () => {
  const calls = { one: 0, ten: 0 };
  const speeds = await measureFastestTurns([
    { name: "one", run: () => calls.one++ },
    { name: "ten", operations: 10, run: () => calls.ten++ },
  ], { totalMs: 5, turnMs: 1 });
  assertEquals([...speeds.keys()], ["one", "ten"]);
  assertEquals([calls.one > 0, calls.ten > 0], [true, true]);
});

Deno.test("measureCpuRounds() measures every contender in every round", async () => {
  const contenders = ["a", "b", "c"].map((name) => ({ name, run: () => {} }));
  const rounds = await measureCpuRounds(contenders, { rounds: 4, turnMs: 0.01 });
  assertEquals([...rounds.values()].map((costs) => costs.length), [4, 4, 4]);
});

Deno.test("measureShortestRun() repeats a run at least three times", async () => {
  let calls = 0;
  const { runs } = await measureShortestRun(() => Promise.resolve(calls++), 0);
  assertEquals([runs, calls], [3, 3]);
});
