import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { canonicalize } from "./canonical_json.ts";
import { CommError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";

/** Examples from RFC 8785 §3.2.2, §3.2.3 and appendix B. */
const RFC_8785: readonly (readonly [value: unknown, text: string])[] = [
  [
    {
      numbers: [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      literals: [null, true, false],
    },
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
    '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  ],
  [
    {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    },
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
    '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  [-0, "0"],
  [5e-324, "5e-324"],
  [1.7976931348623157e308, "1.7976931348623157e+308"],
  [9007199254740992, "9007199254740992"],
  [295147905179352830000, "295147905179352830000"],
  [9.999999999999997e22, "9.999999999999997e+22"],
  [1e23, "1e+23"],
  [999999999999999700000, "999999999999999700000"],
  [1e21, "1e+21"],
  [9.999999999999997e-7, "9.999999999999997e-7"],
  [0.000001, "0.000001"],
];

for (const [value, text] of RFC_8785) {
  Deno.test(`canonicalize() serializes ${text.slice(0, 40)} as specified in RFC 8785`, () => {
    assertEquals(canonicalize(value), text);
  });
}

const TRAPS: readonly (readonly [name: string, value: unknown, text: string])[] = [
  ["member names that look like array indices", { "10": 1, "9": 2, a: 3 }, '{"10":1,"9":2,"a":3}'],
  ["a member named __proto__", JSON.parse('{"b":1,"__proto__":2}'), '{"__proto__":2,"b":1}'],
  [
    "nested objects with unsorted members",
    { b: [{ "2": 0, "10": 0 }], a: 1 },
    '{"a":1,"b":[{"10":0,"2":0}]}',
  ],
  ["an empty member name", { a: 1, "": 2 }, '{"":2,"a":1}'],
  ["empty containers", [{}, []], "[{},[]]"],
  ["a member named toJSON with a string value", { toJSON: "x" }, '{"toJSON":"x"}'],
  ["U+2028 and U+007F", "\u2028\u007f", '"\u2028\u007f"'],
  [
    "names that differ only in Unicode normalization",
    { "\u00e9": 1, "e\u0301": 2 },
    '{"e\u0301":2,"\u00e9":1}',
  ],
];

for (const [name, value, text] of TRAPS) {
  Deno.test(`canonicalize() preserves ${name}`, () => assertEquals(canonicalize(value), text));
}

Deno.test("canonicalize() ignores toJSON on a shared prototype", () => {
  Object.defineProperty(Object.prototype, "toJSON", { value: () => "gotcha", configurable: true });
  try {
    assertEquals(canonicalize({ b: [{}], a: 1 }), '{"a":1,"b":[{}]}');
  } finally {
    Reflect.deleteProperty(Object.prototype, "toJSON");
  }
});

Deno.test("canonicalize() ignores toJSON on a shared prototype in large objects and in arrays", () => {
  const large = Object.fromEntries(LARGE.map((name) => [name, [{ b: {}, a: [] }]]));
  const text = `{${LARGE.map((name) => `"${name}":[{"a":[],"b":{}}]`).join()}}`;
  for (const prototype of [Object.prototype, Array.prototype]) {
    Object.defineProperty(prototype, "toJSON", { value: () => "gotcha", configurable: true });
    try {
      assertEquals(canonicalize(large), text);
    } finally {
      Reflect.deleteProperty(prototype, "toJSON");
    }
  }
});

/** Sorted names of an object that is not copied. */
const LARGE = Array.from({ length: 40 }, (_, index) => `n${10 + index}`);

Deno.test("canonicalize() serializes objects of any size, inside of arrays and small objects", () => {
  for (const count of [0, 1, 15, 16, 17, 18, 40]) {
    const names = LARGE.slice(0, count);
    const value = Object.fromEntries(names.toReversed().map((name) => [name, -0.5]));
    const text = `{${names.map((name) => `"${name}":-0.5`).join()}}`;
    assertEquals(canonicalize(value), text);
    assertEquals(canonicalize([1, value, "é"]), `[1,${text},"é"]`);
    assertEquals(canonicalize({ b: "", a: value, "ü": [] }), `{"a":${text},"b":"","ü":[]}`);
  }
});

Deno.test("canonicalize() escapes the names of large objects", () => {
  const names = ['"', "\\", "\u0000", "\u2028", "é", "\u{1f600}", "\\ud800", "__proto__", "toJSON"];
  const value = Object.fromEntries([...names, ...LARGE].map((name) => [name, {}]));
  const quoted = ['"\\u0000"', '"\\""', '"\\\\"', '"\\\\ud800"', '"__proto__"'];
  const last = ['"toJSON"', '"é"', '"\u2028"', '"\u{1f600}"'];
  const inOrder = [...quoted, ...LARGE.map((name) => `"${name}"`), ...last];
  assertEquals(canonicalize(value), `{${inOrder.map((name) => `${name}:{}`).join()}}`);
});

Deno.test("canonicalize() reads each member once, and rejects the value of a getter that changes", () => {
  let reads = 0;
  function createValue(read: () => unknown): object {
    const value = Object.fromEntries(LARGE.map((name) => [name, null]));
    return Object.defineProperty(value, "n25", { enumerable: true, get: read });
  }
  for (const wrap of [(value: object) => value, (value: object) => [{ "1": value }]]) {
    reads = 0;
    const text = canonicalize(wrap(createValue(() => `read ${++reads}`)));
    assert(text.includes('"n25":"read 1"'));
    assertEquals(reads, 1);
    reads = 0;
    const changing = wrap(createValue(() => reads++ === 0 ? "\ud800" : "fine"));
    const error = assertThrows(() => canonicalize(changing), CommError);
    assertEquals(error.code, "invalid_unicode");
  }
});

Deno.test("canonicalize() rejects a fault before a lone surrogate, and reports its path", () => {
  const large = Object.fromEntries(LARGE.map((name): [string, unknown] => [name, 1]));
  const table: readonly (readonly [value: unknown, code: string, path: string])[] = [
    [{ ...large, n10: "\ud800", n49: [NaN] }, "serialization_failed", "/n49/0"],
    [{ ...large, n10: [0, "\ud800"], n49: "\udfff" }, "invalid_unicode", "/n10/1"],
    [{ ...large, "\udfff": 1 }, "invalid_unicode", ""],
    [["\udfff", { "1": "\ud800" }], "invalid_unicode", "/0"],
    [[{ a: { "1": "\ud800" } }, "\ud800"], "invalid_unicode", "/0/a/1"],
    [`${"\\ud".repeat(100)}\ud800`, "invalid_unicode", ""],
    [["x".repeat(1000), { a: ["y".repeat(1000), "\ud800"] }], "invalid_unicode", "/1/a/1"],
  ];
  for (const [value, code, path] of table) {
    const error = assertThrows(() => canonicalize(value), CommError);
    assertEquals([error.code, "path" in error.details && error.details.path], [code, path]);
  }
  assertEquals(canonicalize("\\ud".repeat(100)), JSON.stringify("\\ud".repeat(100)));
  assertThrows(() => canonicalize({ "1": [[["\ud800"]]] }, { maxDepth: 3 }), CommError, "3 levels");
});

Deno.test("canonicalize() rejects values without a JSON form", () => {
  for (const value of [undefined, NaN, () => 1, new Date(0), [,], "\ud800"]) {
    assertThrows(() => canonicalize(value), CommError);
  }
});

Deno.test("canonicalize() rejects strings with lone surrogates and accepts all other strings", () => {
  const lone = ["\ud800", "a\udfffb", "\\\udc00", "\ude00\ud83d", "\\ud800 \ud800"];
  for (const text of lone) {
    for (const value of [text, [text], { [text]: 1 }, { "1": { [text]: 1 } }]) {
      const error = assertThrows(() => canonicalize(value), CommError);
      assertEquals(error.code, "invalid_unicode");
    }
  }
  for (const text of ["\\ud800", "\\\\ud", "\u{1f600}", "\\ud83d\u{1f600}"]) {
    assertEquals(canonicalize(text), JSON.stringify(text));
  }
});

Deno.test("canonicalize() rejects values that are nested deeper than maxDepth", () => {
  assertEquals(canonicalize([[]], { maxDepth: 2 }), "[[]]");
  assertThrows(() => canonicalize([[[]]], { maxDepth: 2 }), CommError, "2 levels");
  assertThrows(() => canonicalize([], { maxDepth: 0 }), RangeError);
});

/** Copies a value with the members of each object in reverse order. */
function reverse(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(reverse);
  return Object.fromEntries(
    Object.entries(value).reverse().map(([name, member]) => [name, reverse(member)]),
  );
}

Deno.test("canonicalize() ignores member order and whitespace", () => {
  fc.assert(
    fc.property(arbitraryJson(), (value) => {
      const text = canonicalize(value);
      assertEquals(canonicalize(reverse(value)), text);
      assertEquals(canonicalize(JSON.parse(JSON.stringify(value, null, 2))), text);
      assertEquals(canonicalize(JSON.parse(text)), text);
    }),
    propertyRuns(500),
  );
});

/** Serializes a value member by member, as RFC 8785 specifies. */
function join(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(join).join()}]`;
  const members = Object.entries(value).map(([name, member]): [string, string] => [
    name,
    `${JSON.stringify(name)}:${join(member)}`,
  ]);
  return `{${members.toSorted(([a], [b]) => a < b ? -1 : 1).map(([, text]) => text).join()}}`;
}

Deno.test("canonicalize() returns the same text as a serialization of each member", () => {
  fc.assert(
    fc.property(arbitraryJson(), (value) => assertEquals(canonicalize(value), join(value))),
    propertyRuns(500),
  );
});

/** JSON values with member names that are difficult to sort. */
function arbitraryJson(): fc.Arbitrary<JsonValue> {
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 3 }),
    fc.constantFrom("1", "10", "9", "", "\u{1f600}", "\ufb33", "é"),
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: "binary" }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(name, tie("value"), { maxKeys: 6, noNullPrototype: true }),
      fc.tuple(fc.integer({ min: 14, max: 40 }), tie("value")).map(([count, member]) =>
        Object.fromEntries(LARGE.slice(0, count).map((each) => [each, member]))
      ),
    ),
  }));
  return value;
}
