import { assertEquals } from "@std/assert";
import { LIMITS, verdictOf } from "./bench_result.ts";
import { PROMISE_TEXTS } from "./promises.ts";

Deno.test("verdictOf() calls a difference of at most 5 percent from the limit a tie", () => {
  const maximum: readonly (readonly [number | undefined, string])[] = [
    [1.42, "kept"],
    [1.43, "kept (tie)"],
    [1.5, "kept (tie)"],
    [1.51, "missed (tie)"],
    [1.57, "missed (tie)"],
    [1.58, "missed"],
    [undefined, "not measured"],
    [NaN, "not measured"],
  ];
  for (const [ratio, expected] of maximum) assertEquals(verdictOf(ratio, -1.5), expected);
  const minimum = [[4.3, "kept"], [4.1, "kept (tie)"], [3.9, "missed (tie)"], [3.7, "missed"]];
  for (const [ratio, expected] of minimum) assertEquals(verdictOf(Number(ratio), 4), expected);
});

Deno.test("every limit has a description, and every description belongs to a limit", () => {
  const limits = Object.values(LIMITS).flatMap((limits) => Object.keys(limits));
  assertEquals(limits.toSorted(), Object.keys(PROMISE_TEXTS).toSorted());
});

Deno.test("every description gives a reason, as a sentence", () => {
  for (const [name, { text, reason }] of Object.entries(PROMISE_TEXTS)) {
    assertEquals([name, /^[A-Z`a-z].{10,}\.$/.test(reason)], [name, true]);
    assertEquals([name, text.includes("|") || reason.includes("|")], [name, false]);
  }
});
