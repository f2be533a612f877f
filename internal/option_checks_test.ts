import { assertEquals, assertThrows } from "@std/assert";
import { assertCount, assertString } from "./assert_argument.ts";
import {
  arrayOf,
  int32From,
  integerFrom,
  nested,
  oneOf,
  recordOf,
  withMethods,
} from "./option_checks.ts";
import { type OptionCheck, optionsReader } from "./options.ts";

interface RetryOptions {
  readonly maxRetries?: number;
}

const readRetry = optionsReader<RetryOptions>("retry")({ maxRetries: assertCount });

/**
 * Checks of a range, each with accepted values and with rejected values and their error messages.
 */
const RANGES:
  readonly (readonly [OptionCheck, readonly number[], readonly (readonly [unknown, string])[]])[] =
    [
      [integerFrom(0), [0, 2 ** 53 - 1], [
        [-1, '"a" must be a non-negative integer, got -1'],
        [0.5, '"a" must be a non-negative integer, got 0.5'],
      ]],
      [integerFrom(2, 16), [2, 16], [
        [1, '"a" must be an integer from 2 to 16, got 1'],
        [17, '"a" must be an integer from 2 to 16, got 17'],
      ]],
      [int32From(1), [1, 2 ** 31 - 1], [
        [0, '"a" must be an integer from 1 to 2147483647, got 0'],
        [2 ** 31, '"a" must be an integer from 1 to 2147483647, got 2147483648'],
      ]],
    ];

/** Checks of types, each with accepted values and with rejected values and their error messages. */
const TYPES:
  readonly (readonly [OptionCheck, readonly unknown[], readonly (readonly [unknown, string])[]])[] =
    [
      [oneOf("none", "signature", "proof"), ["none", "signature", "proof"], [
        ["singature", level(`"singature"; did you mean "signature"?`)],
        ["Proof", level(`"Proof"; did you mean "proof"?`)],
        ["constructor", level(`"constructor"`)],
        ["", level(`""`)],
        [null, level("null")],
        [undefined, level("undefined")],
      ]],
      [oneOf("wait", "error"), ["wait"], [["drop", '"a" must be "wait" or "error", got "drop"']]],
      [oneOf("on"), ["on"], [["off", '"a" must be "on", got "off"']]],
      [withMethods("a Map", ["get", "set"], "create one"), [new Map()], [
        [new Set(), '"a" must be a Map, got an instance of Set; create one'],
        [null, '"a" must be a Map, got null; create one'],
      ]],
      [arrayOf("names", assertString), [[], ["x"]], [
        ["x", '"a" must be an array of names, got "x"'],
        [["x", 5], '"a[1]" must be a string, got 5'],
      ]],
      [recordOf(assertString), [{}, { x: "" }], [
        [[], '"a" must be an object, got an array'],
        [{ x: "", y: 5 }, '"a.y" must be a string, got 5'],
      ]],
      [nested(readRetry), [{}, { maxRetries: 1 }], [
        [5, '"a" must be an object, got 5'],
        [
          { maxRetrys: 1 },
          '"a" must have only known options, got "maxRetrys"; did you mean "maxRetries"?',
        ],
      ]],
    ];

function level(shown: string): string {
  return `"a" must be "none", "signature" or "proof", got ${shown}`;
}

Deno.test("checks of integers accept the numbers within their range", () => {
  for (const [check, accepted, rejected] of RANGES) {
    for (const value of accepted) check("a", value);
    for (const [value, message] of rejected) {
      assertEquals(assertThrows(() => check("a", value), RangeError).message, message);
    }
  }
});

Deno.test("checks of types accept valid values, and name the option, the requirement and the remedy", () => {
  for (const [check, accepted, rejected] of TYPES) {
    for (const value of accepted) check("a", value);
    for (const [value, message] of rejected) {
      assertEquals(assertThrows(() => check("a", value), TypeError).message, message);
    }
  }
});

Deno.test("nested() reports an option with its path", () => {
  assertThrows(
    () => nested(readRetry)("limits.retry", { maxRetries: 0 }),
    RangeError,
    '"limits.retry.maxRetries" must be a positive integer, got 0',
  );
});
