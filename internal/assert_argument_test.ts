import { assertEquals, assertThrows } from "@std/assert";
import {
  assertCount,
  assertDate,
  assertFinite,
  assertFunction,
  assertLimit,
  assertMethods,
  assertNonEmptyString,
  assertNonNegative,
  assertObject,
  assertOptionalBoolean,
  assertOptionalFunction,
  assertOptionalSignal,
  assertPositiveNumber,
  assertShare,
  assertString,
  assertStrings,
} from "./assert_argument.ts";

type Check = (value: unknown) => void;

/** Checks of types, each with accepted values and with rejected values and their error messages. */
const TYPES:
  readonly (readonly [Check, readonly unknown[], readonly (readonly [unknown, string])[]])[] = [
    [(value) => assertString("a", value), ["", "x"], [
      [5, '"a" must be a string, got 5'],
      [undefined, '"a" must be a string, got undefined'],
    ]],
    [(value) => assertNonEmptyString("a", value), ["x"], [
      ["", '"a" must be a non-empty string, got an empty string'],
      [null, '"a" must be a non-empty string, got null'],
    ]],
    [(value) => assertStrings("a", value), [[], ["x", ""]], [
      ["x", '"a" must be an array of strings, got "x"'],
      [["x", 5], '"a[1]" must be a string, got 5'],
      [new Set(["x"]), '"a" must be an array of strings, got an instance of Set'],
    ]],
    [(value) => assertObject("a", value), [{}, new Map()], [
      [[], '"a" must be an object, got an array'],
      [null, '"a" must be an object, got null'],
      [() => {}, '"a" must be an object, got a function'],
    ]],
    [(value) => assertMethods("a", "a Map", value, ["get", "set"]), [new Map()], [
      [new Set(), '"a" must be a Map, got an instance of Set'],
      [undefined, '"a" must be a Map, got undefined'],
    ]],
    [(value) => assertFunction("a", value), [() => {}], [
      [undefined, '"a" must be a function, got undefined'],
    ]],
    [(value) => assertOptionalFunction("a", value), [() => {}, undefined], [
      [null, '"a" must be a function, got null'],
    ]],
    [(value) => assertOptionalBoolean("a", value), [true, false, undefined], [
      ["false", '"a" must be a boolean, got "false"'],
    ]],
    [(value) => assertDate("a", value), [new Date(0)], [
      [new Date(NaN), '"a" must be a valid Date, got an instance of Date'],
      [0, '"a" must be a valid Date, got 0'],
    ]],
    [(value) => assertOptionalSignal("a", value), [new AbortController().signal, undefined], [
      [
        new AbortController(),
        '"a" must be an AbortSignal, got an instance of AbortController; pass its "signal"',
      ],
      [{}, '"a" must be an AbortSignal, got an object'],
    ]],
    [(value) => assertFinite("a", value), [0, -1.5], [
      [Infinity, '"a" must be a finite number, got Infinity'],
      [NaN, '"a" must be a finite number, got NaN'],
      ["1", '"a" must be a finite number, got "1"'],
    ]],
  ];

Deno.test("each check accepts valid values, and names the argument, the requirement and other values", () => {
  for (const [check, accepted, rejected] of TYPES) {
    for (const value of accepted) check(value);
    for (const [value, message] of rejected) {
      assertEquals(assertThrows(() => check(value), TypeError).message, message);
    }
  }
});

Deno.test("assertLimit() accepts integers within the given range", () => {
  assertLimit("maxPauses", 0, 0);
  assertLimit("maxTurns", 1, 1);
  assertLimit("timeoutMs", 100, 1, 100);
});

const OUTSIDE: readonly [unknown, number, number | undefined, string][] = [
  [-1, 0, undefined, '"n" must be a non-negative integer, got -1'],
  [0, 1, undefined, '"n" must be a positive integer, got 0'],
  [1.5, 1, undefined, '"n" must be a positive integer, got 1.5'],
  [Infinity, 1, undefined, '"n" must be a positive integer, got Infinity'],
  [1e300, 1, undefined, '"n" must be a positive integer, got 1e+300'],
  [2 ** 53, 1, undefined, '"n" must be a positive integer, got 9007199254740992'],
  [5n, 1, undefined, '"n" must be a positive integer, got 5'],
  ["2", 2, undefined, '"n" must be an integer of at least 2, got "2"'],
  [101, 1, 100, '"n" must be an integer from 1 to 100, got 101'],
];
for (const [value, min, max, message] of OUTSIDE) {
  Deno.test(`assertLimit() throws: ${message}`, () => {
    assertThrows(() => assertLimit("n", value, min, max), RangeError, message);
  });
}

Deno.test("a count is a positive integer", () => {
  assertCount("n", 1);
  for (const value of [0, 1.5, Infinity]) {
    const error = assertThrows(() => assertCount("n", value), RangeError);
    assertEquals(error.message, `"n" must be a positive integer, got ${value}`);
  }
});

Deno.test("a time is a positive or a non-negative number, and may be infinite", () => {
  for (const value of [0.5, 1, Infinity]) {
    assertPositiveNumber("ms", value);
    assertNonNegative("ms", value);
  }
  assertNonNegative("ms", 0);
  for (const [value, shown] of [[-1, "-1"], [NaN, "NaN"], ["5", '"5"']]) {
    const positive = assertThrows(() => assertPositiveNumber("ms", value), RangeError);
    assertEquals(positive.message, `"ms" must be a positive number, got ${shown}`);
    const other = assertThrows(() => assertNonNegative("ms", value), RangeError);
    assertEquals(other.message, `"ms" must be a non-negative number, got ${shown}`);
  }
  const zero = assertThrows(() => assertPositiveNumber("ms", 0), RangeError);
  assertEquals(zero.message, '"ms" must be a positive number, got 0');
});

Deno.test("a share is greater than 0 and at most 1", () => {
  for (const value of [0.001, 1]) assertShare("share", value);
  for (const value of [0, 1.1, NaN, "1"]) {
    assertThrows(() => assertShare("share", value), RangeError, "greater than 0 and at most 1");
  }
});

Deno.test("an argument that cannot be read is rejected with the error that names the argument", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const table: readonly (readonly [Check, string])[] = [
    [(value) => assertObject("a", value), '"a" must be an object, got an object'],
    [(value) => assertStrings("a", value), '"a" must be an array of strings, got an object'],
    [(value) => assertMethods("a", "a Map", value, ["get"]), '"a" must be a Map, got an object'],
    [(value) => assertDate("a", value), '"a" must be a valid Date, got an object'],
    [(value) => assertOptionalSignal("a", value), '"a" must be an AbortSignal, got an object'],
  ];
  for (const [check, message] of table) {
    assertEquals(assertThrows(() => check(proxy), TypeError).message, message);
  }
});
