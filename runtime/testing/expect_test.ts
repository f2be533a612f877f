import { assertThrows } from "@std/assert";
import { expectEqual } from "./expect.ts";

Deno.test("expectEqual() compares JSON, and rejects sets and maps", () => {
  expectEqual({ a: 1, b: [2] }, { b: [2], a: 1 }, "the value");
  assertThrows(() => expectEqual([1], [2], "the value"), Error, "the value must be [2], got [1]");
  for (const value of [new Set([1]), new Map([[1, 2]])]) {
    assertThrows(() => expectEqual(value, [], "the value"), TypeError, "pass an array");
    assertThrows(() => expectEqual([], value, "the value"), TypeError, "pass an array");
  }
});
