import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { readSignal, toSignalOptions } from "./read_signal.ts";

/** Reads options as a caller without a type check passes them. */
function read(options: unknown): unknown {
  return Reflect.apply(readSignal, undefined, [options]);
}

Deno.test("readSignal() returns the signal, or undefined if there is none", () => {
  const { signal } = new AbortController();
  assertStrictEquals(read({ signal }), signal);
  for (const options of [undefined, {}, { signal: undefined }]) {
    assertEquals(read(options), undefined);
  }
});

Deno.test("readSignal() rejects other values, and suggests the option for an unknown name", () => {
  const table: readonly (readonly [unknown, string])[] = [
    [null, '"options" must be an object, got null'],
    [5, '"options" must be an object, got 5'],
    [{ signal: {} }, '"signal" must be an AbortSignal, got an object'],
    [{ singal: 1 }, '"options" must have only known options, got "singal"; did you mean "signal"?'],
    [
      { abortSignal: 1 },
      '"options" must have only known options, got "abortSignal"; did you mean "signal"?',
    ],
  ];
  for (const [options, message] of table) {
    assertEquals(assertThrows(() => read(options), TypeError).message, message);
  }
});

Deno.test("toSignalOptions() omits a signal that is undefined", () => {
  const { signal } = new AbortController();
  assertEquals(toSignalOptions(undefined), {});
  assertStrictEquals(toSignalOptions(signal).signal, signal);
});
