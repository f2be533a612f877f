import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { readRetryAfter } from "./retry_after.ts";

/** Test cases: the header, and the delay at 08:00:00 UTC on 21 October 2015. */
const HEADERS: readonly (readonly [unknown, number | undefined])[] = [
  ["0", 0],
  ["7", 7000],
  ["1.5", 1500],
  ["Wed, 21 Oct 2015 08:00:07 GMT", 7000],
  ["Wed, 21 Oct 2015 07:59:59 GMT", 0],
  ["Wednesday, 21-Oct-15 08:00:07 GMT", 7000],
  ["-1", undefined],
  ["+5", undefined],
  ["1e3", undefined],
  ["5, 5", undefined],
  ["5 s", undefined],
  ["", undefined],
  ["soon", undefined],
  ["Fri", undefined],
  ["2015-10-21", undefined],
  [7, undefined],
  [null, undefined],
];

Deno.test("readRetryAfter() reads seconds and dates, and no other text", () => {
  using _time = new FakeTime(Date.UTC(2015, 9, 21, 8));
  assertEquals(HEADERS.map(([value]) => [value, readRetryAfter(value)] as const), HEADERS);
});
