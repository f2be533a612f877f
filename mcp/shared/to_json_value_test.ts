import { runInNewContext } from "node:vm";
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { toJsonValue } from "./to_json_value.ts";

Deno.test("toJsonValue() returns a JSON value unchanged", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
    const json = toJsonValue(value);
    if (!Object.is(value, -0)) assertEquals(JSON.stringify(json), JSON.stringify(value));
  }));
  const value = { a: [1, { b: null }] };
  assertStrictEquals(toJsonValue(value), value);
});

Deno.test("toJsonValue() returns what the recipient parses", () => {
  class Point {
    x = 1;
    y = undefined;
  }
  const at = new Date(0);
  const value = { at, omitted: undefined, point: new Point(), empty: Object.create(null) };
  assertEquals(toJsonValue(value), {
    at: "1970-01-01T00:00:00.000Z",
    point: { x: 1 },
    empty: {},
  });
  assertEquals(toJsonValue(at), "1970-01-01T00:00:00.000Z");
  let deep: unknown = 1;
  for (let depth = 0; depth < 500; depth++) deep = [deep];
  assertEquals(JSON.stringify(toJsonValue(deep)), JSON.stringify(deep));
});

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

/** Test cases: a value that JSON cannot represent, and the message. */
const LOSSY: readonly [unknown, string][] = [
  [undefined, "the value is undefined"],
  [NaN, "the value is NaN"],
  [{ at: new Date(NaN) }, '"/at" is an invalid date'],
  [() => 1, "the value is a function"],
  [Symbol("s"), "the value is a symbol"],
  [1n, "the value is a bigint"],
  [new Map([["a", 1]]), "the value is an instance of Map"],
  [new Response(""), "the value is an instance of Response"],
  [Promise.resolve(1), "the value is an instance of Promise"],
  [new Error("lost"), "the value is an instance of Error"],
  [{ items: [{ size: Infinity }] }, '"/items/0/size" is Infinity'],
  [{ "a/b": { "~": -Infinity } }, '"/a~1b/~0" is -Infinity'],
  [{ run: () => 1 }, '"/run" is a function'],
  [{ key: Symbol("s") }, '"/key" is a symbol'],
  [[1, undefined], '"/1" is undefined'],
  [Array(1), '"/0" is undefined'],
  [{ set: new Set([1]) }, '"/set" is an instance of Set'],
  [{ bytes: new Uint8Array([1]) }, '"/bytes" is an instance of Uint8Array'],
  [{ big: { value: 1n } }, '"/big/value" is a bigint'],
  [{ odd: { toJSON: () => undefined } }, '"/odd" is an object whose toJSON() returns undefined'],
  [cyclic, "Converting circular structure to JSON"],
];

Deno.test("toJsonValue() throws for a value that JSON cannot represent, and names its path", () => {
  for (const [value, message] of LOSSY) {
    assertThrows(() => toJsonValue(value), TypeError, message);
  }
});

Deno.test("toJsonValue() accepts plain objects of other realms without a copy", () => {
  const plain: unknown = runInNewContext(
    "({ list: [{ a: 1 }], empty: {}, bare: Object.assign(Object.create(null), { b: null }) })",
  );
  assert(Object.getPrototypeOf(plain) !== Object.prototype);
  assertStrictEquals(toJsonValue(plain), plain);
  const empty: unknown = runInNewContext("({ toJSON: () => ({}) })");
  assertEquals(JSON.stringify(toJsonValue(empty)), "{}");
  assertThrows(
    () => toJsonValue(runInNewContext("new Map([[1, 2]])")),
    TypeError,
    "the value is an instance of Map",
  );
});

Deno.test("toJsonValue() names its path if the class of a value cannot be read", () => {
  const prototype = {
    get constructor(): never {
      throw new Error("unreadable");
    },
  };
  assertThrows(
    () => toJsonValue({ odd: Object.create(prototype) }),
    TypeError,
    '"/odd" is an instance of an unnamed class',
  );
});
