import { assertEquals, assertThrows } from "@std/assert";
import { askClock } from "./ask_clock.ts";

Deno.test("askClock() returns each finite time of the clock", () => {
  for (const time of [0, -1, 0.5, 1_767_323_045_000]) assertEquals(askClock(() => time), time);
});

Deno.test("askClock() throws if the clock throws or returns no finite number", () => {
  const table: readonly (readonly [unknown, string])[] = [
    [NaN, "NaN"],
    [Infinity, "Infinity"],
    [-Infinity, "-Infinity"],
    [null, "null"],
    [undefined, "undefined"],
    ["1000", '"1000"'],
    [1000n, "1000"],
    [Promise.resolve(1000), "an instance of Promise"],
    [new Date(1000), "an instance of Date"],
  ];
  for (const [time, shown] of table) {
    // The types do not permit these times, but clocks in JavaScript can return them.
    const error = assertThrows(() => askClock(() => time as number), TypeError);
    assertEquals(error.message, `"now()" must be a finite number, got ${shown}`);
  }
  const broken = (): never => {
    throw new Error("no clock");
  };
  assertThrows(() => askClock(broken), Error, "no clock");
});

Deno.test("askClock() throws for an async clock, whose rejection does not end the process", () => {
  const broken: unknown = () => Promise.reject(new Error("no clock"));
  // The cast is safe: the test calls the clock with a value of the wrong type.
  assertThrows(() => askClock(broken as () => number), TypeError, '"now()"');
});
