import { runInNewContext } from "node:vm";
import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { CommError } from "./error.ts";
import { copyJson, isJsonValue, type JsonValue, setMember } from "./json.ts";

function nest(levels: number): unknown {
  let value: unknown = null;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function createCycle(): unknown {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  return cycle;
}

const NOT_JSON: readonly (readonly [name: string, value: unknown, code: string, path: string])[] = [
  ["undefined", undefined, "serialization_failed", ""],
  ["a member with the value undefined", { a: undefined }, "serialization_failed", "/a"],
  ["a function", [() => 1], "serialization_failed", "/0"],
  ["a symbol", { a: [0, Symbol("x")] }, "serialization_failed", "/a/1"],
  ["a BigInt", 1n, "serialization_failed", ""],
  ["NaN", { "a/b": { "~": NaN } }, "serialization_failed", "/a~1b/~0"],
  ["infinity", -Infinity, "serialization_failed", ""],
  ["an array hole", new Array(1), "serialization_failed", "/0"],
  ["a Date", { when: new Date(0) }, "serialization_failed", "/when"],
  ["a Map", new Map(), "serialization_failed", ""],
  ["a Uint8Array", new Uint8Array(1), "serialization_failed", ""],
  ["a boxed string", new String("x"), "serialization_failed", ""],
  ["a lone surrogate", ["\ud800"], "invalid_unicode", "/0"],
  ["a lone surrogate in a member name", { a: { "\udc00": 1 } }, "invalid_unicode", "/a"],
];

for (const [name, value, code, path] of NOT_JSON) {
  Deno.test(`copyJson() rejects ${name} and reports its path`, () => {
    const error = assertThrows(() => copyJson(value), CommError);
    assertEquals(error.code, code);
    assertEquals("path" in error.details && error.details.path, path);
    assertFalse(isJsonValue(value));
  });
}

Deno.test("copyJson() rejects a cycle at the depth limit", () => {
  const error = assertThrows(() => copyJson(createCycle()), CommError);
  assert(error.is("too_deep"));
  assertEquals(error.details.limit, 128);
});

Deno.test("copyJson() accepts 128 levels of nesting and rejects 129", () => {
  copyJson(nest(128));
  assertThrows(() => copyJson(nest(129)), CommError, "128 levels");
  copyJson(nest(1000), { maxDepth: 1000 });
});

Deno.test("isJsonValue() applies maxDepth", () => {
  assert(isJsonValue(nest(2), { maxDepth: 2 }));
  assertFalse(isJsonValue(nest(3), { maxDepth: 2 }));
  for (const maxDepth of [0, 1001, 1.5, NaN]) {
    assertThrows(() => isJsonValue(null, { maxDepth }), RangeError);
  }
});

Deno.test("isJsonValue() returns false if a getter throws", () => {
  const value = {
    get trap(): never {
      throw new Error("sprung");
    },
  };
  assertFalse(isJsonValue(value));
});

Deno.test("copyJson() reads each member once", () => {
  let reads = 0;
  const value = {
    get count(): number {
      return ++reads;
    },
  };
  assertEquals(copyJson(value), { count: 1 });
});

Deno.test("copyJson() sorts members of small and large objects", () => {
  for (const count of [2, 24, 25, 100]) {
    const names = Array.from({ length: count }, (_, index) => `name ${(index * 37) % 101}`);
    const value = Object.fromEntries(names.map((name) => [name, 0]));
    assertEquals(Object.keys(copyJson(value) ?? {}), names.toSorted());
  }
});

Deno.test("copyJson() freezes the copy deeply if requested", () => {
  const value = copyJson({ a: [{ b: [] }] }, { frozen: true });
  assert(isDeeplyFrozen(value));
});

function isDeeplyFrozen(value: unknown): boolean {
  return typeof value !== "object" || value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
}

Deno.test("copyJson() copies __proto__ as an ordinary member and converts -0 to 0", () => {
  const value = copyJson(JSON.parse('{"__proto__":{"polluted":-0}}'));
  assertEquals(JSON.stringify(value), '{"__proto__":{"polluted":0}}');
  assertEquals(Object.getPrototypeOf(value), Object.prototype);
  assert(Object.is(copyJson(-0), 0));
});

Deno.test("copyJson() accepts objects without a prototype", () => {
  const value = Object.assign(Object.create(null), { a: 1 });
  assertEquals(copyJson(value), { a: 1 });
});

Deno.test("copyJson() returns an equal copy of any JSON value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      fc.pre(isJsonValue(value));
      assertEquals(copyJson(value), JSON.parse(JSON.stringify(value)));
    }),
    propertyRuns(500),
  );
});

Deno.test("setMember() adds any member, even if Object.prototype is frozen", () => {
  const object: Record<string, JsonValue> = {};
  Object.defineProperty(Object.prototype, "fixed", { value: 0, configurable: true });
  try {
    for (const name of ["fixed", "__proto__"]) setMember(object, name, 1);
  } finally {
    Reflect.deleteProperty(Object.prototype, "fixed");
  }
  assertEquals(JSON.stringify(object), '{"fixed":1,"__proto__":1}');
  object.fixed = 2;
  assertEquals(object.fixed, 2);
});

Deno.test("copyJson() copies all members, even if Object.prototype is frozen", () => {
  Object.defineProperty(Object.prototype, "fixed", { value: 0, configurable: true });
  try {
    assertEquals(JSON.stringify(copyJson(JSON.parse('{"fixed":[1]}'))), '{"fixed":[1]}');
  } finally {
    Reflect.deleteProperty(Object.prototype, "fixed");
  }
});

Deno.test("copyJson() accepts plain objects of other realms, and no other objects", () => {
  const plain: unknown = runInNewContext(
    "({ list: [{ a: 1 }], empty: {}, bare: Object.assign(Object.create(null), { b: null }) })",
  );
  assert(Object.getPrototypeOf(plain) !== Object.prototype);
  assert(isJsonValue(plain));
  assertEquals(copyJson(plain), { bare: { b: null }, empty: {}, list: [{ a: 1 }] });
  const others: readonly unknown[] = [
    runInNewContext("new Map([[1, 2]])"),
    runInNewContext("new (class Point { x = 1 })()"),
    Object.create(Object.assign(Object.create(null), { inherited: 1 })),
  ];
  for (const other of others) {
    assertFalse(isJsonValue(other));
    assertThrows(() => copyJson(other), CommError, "not a plain object");
  }
});
