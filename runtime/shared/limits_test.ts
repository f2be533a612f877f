import { assertThrows } from "@std/assert";
import { assertLimit } from "./limits.ts";

Deno.test("assertLimit() accepts numbers within the given range", () => {
  assertLimit("maxCost", 0);
  assertLimit("maxCost", Infinity);
  assertLimit("maxPauses", 0, 0);
  assertLimit("maxTurns", 1, 1);
  assertLimit("timeoutMs", 100, 1, 100);
});

const INVALID: readonly [unknown, number | undefined, number | undefined, string][] = [
  [-1, undefined, undefined, '"n" must be a non-negative number, got -1'],
  [NaN, undefined, undefined, '"n" must be a non-negative number, got NaN'],
  [-1, 0, undefined, '"n" must be a non-negative integer, got -1'],
  [0, 1, undefined, '"n" must be a positive integer, got 0'],
  [1.5, 1, undefined, '"n" must be a positive integer, got 1.5'],
  [Infinity, 1, undefined, '"n" must be a positive integer, got Infinity'],
  ["2", 2, undefined, '"n" must be an integer of at least 2, got "2"'],
  [101, 1, 100, '"n" must be an integer from 1 to 100, got 101'],
];
for (const [value, min, max, message] of INVALID) {
  Deno.test(`assertLimit() throws: ${message}`, () => {
    assertThrows(() => assertLimit("n", value, min, max), RangeError, message);
  });
}
