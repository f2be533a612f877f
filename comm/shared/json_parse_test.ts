import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { CommError } from "./error.ts";
import { parseJson } from "./json_parse.ts";

type Refusal = readonly [
  input: string | Uint8Array,
  code: string,
  details: Record<string, unknown>,
];

const REFUSED: Readonly<Record<string, Refusal>> = {
  "a duplicate member": ['{"a":1,"a":2}', "duplicate_member", { path: "/a", offset: 7 }],
  "a nested duplicate member": ['{"x":[{"b":1, "b":1}]}', "duplicate_member", {
    path: "/x/0/b",
    offset: 14,
  }],
  "a duplicate member name with an escape sequence": ['{"a":1,"\\u0061":2}', "duplicate_member", {
    path: "/a",
    offset: 7,
  }],
  "a duplicate member named __proto__": ['{"__proto__":1,"__proto__":2}', "duplicate_member", {
    path: "/__proto__",
    offset: 15,
  }],
  "2^53 + 1": ["[9007199254740993]", "unsafe_integer", { path: "/0", offset: 1 }],
  "2^63 - 1": ['{"n":9223372036854775807}', "unsafe_integer", { path: "/n", offset: 5 }],
  "1e400": ["[[1e400]]", "number_out_of_range", { path: "/0/0", offset: 2 }],
  "an integer with 400 digits": ["1".repeat(400), "number_out_of_range", { path: "", offset: 0 }],
  "a lone high surrogate": ['["\\ud800"]', "invalid_unicode", { path: "/0", offset: 1 }],
  "a lone low surrogate in a member name": ['{"\\udc00":1}', "invalid_unicode", {
    path: "",
    offset: 1,
  }],
  "a reversed surrogate pair": ['"\\udc00\\ud800"', "invalid_unicode", { path: "", offset: 0 }],
  "an unescaped lone surrogate": ['"\ud800"', "invalid_unicode", { path: "", offset: 0 }],
  "129 levels": ["[".repeat(129) + "]".repeat(129), "too_deep", { limit: 128, offset: 128 }],
  "100,000 levels": ["[".repeat(100_000), "too_deep", { limit: 128, offset: 128 }],
  "invalid UTF-8": [Uint8Array.of(0x22, 0x61, 0xff, 0x22), "invalid_unicode", {
    path: "",
    offset: 2,
  }],
  "overlong UTF-8": [Uint8Array.of(0x22, 0xc0, 0xaf, 0x22), "invalid_unicode", {
    path: "",
    offset: 1,
  }],
  "truncated UTF-8": [Uint8Array.of(0x22, 0xc3), "invalid_unicode", { path: "", offset: 2 }],
  "a byte order mark in bytes": [
    Uint8Array.of(0xef, 0xbb, 0xbf, 0x5b, 0x5d),
    "deserialization_failed",
    { offset: 0 },
  ],
  "a byte order mark in text": ["\ufeff[]", "deserialization_failed", { offset: 0 }],
  "text after the value": ["[1] x", "deserialization_failed", { offset: 4 }],
  "empty input": ["", "deserialization_failed", { offset: 0 }],
  "a trailing comma": ['{"a":1,}', "deserialization_failed", { offset: 7 }],
  "a missing comma": ["[1 2]", "deserialization_failed", { offset: 3 }],
  "a missing colon": ['{"a" 1}', "deserialization_failed", { offset: 5 }],
  "a leading zero": ["[01]", "deserialization_failed", { offset: 2 }],
  "a number without an integer part": ["[.5]", "deserialization_failed", { offset: 1 }],
  "a number with a plus sign": ["+1", "deserialization_failed", { offset: 0 }],
  "NaN": ["NaN", "deserialization_failed", { offset: 0 }],
  "a control character in a string": ['"\u0001"', "deserialization_failed", { offset: 1 }],
  "an unknown escape sequence": ['["\\x41"]', "deserialization_failed", { offset: 1 }],
  "an unterminated string": ['["abc', "deserialization_failed", { offset: 5 }],
  "an incomplete escape sequence": ['"\\', "deserialization_failed", { offset: 2 }],
  "single quotes": ["'a'", "deserialization_failed", { offset: 0 }],
  "a no-break space before the value": ["\u00a0[]", "deserialization_failed", { offset: 0 }],
};

for (const [name, [input, code, details]] of Object.entries(REFUSED)) {
  Deno.test(`parseJson() rejects ${name} and reports its position`, () => {
    const error = assertThrows(() => parseJson(input), CommError);
    assertEquals(error.code, code);
    for (const [key, value] of Object.entries(details)) {
      assertEquals(Reflect.get(error.details, key), value, `${key}: ${error.message}`);
    }
  });
}

Deno.test("parseJson() reports offsets in bytes if the input is bytes", () => {
  const cases: readonly (readonly [text: string, offset: number])[] = [
    ['{"é":1,"é":2}', 8],
    ['["é",9007199254740993]', 6],
    ['["😀",1e400]', 8],
    ['["é" 1]', 6],
    ['["é","\\x41"]', 6],
    ['["é","\\ud800"]', 6],
    [`["é",${"[".repeat(128)}`, 133],
    ['["é', 4],
  ];
  for (const [text, offset] of cases) {
    const error = assertThrows(() => parseJson(new TextEncoder().encode(text)), CommError);
    assertEquals(Reflect.get(error.details, "offset"), offset, `${text}: ${error.message}`);
  }
});

Deno.test("parseJson() accepts integers that are exactly representable as doubles, and rounds decimals", () => {
  const text = "[100000000000000000000,9007199254740992,1e21,-0,0.1000000000000000055,1E2]";
  assertEquals(parseJson(text), [1e20, 2 ** 53, 1e21, -0, 0.1, 100]);
});

Deno.test("parseJson() accepts a large integer only if it is exact or written as in RFC 8785", () => {
  assertEquals(parseJson("[9223372036854775808,9223372036854776000]"), [2 ** 63, 2 ** 63]);
  for (const text of ["9223372036854775809", "9223372036854775999", "-9223372036854775809"]) {
    assertEquals(assertThrows(() => parseJson(text), CommError).code, "unsafe_integer");
  }
});

Deno.test("parseJson() accepts 128 levels of nesting", () => {
  parseJson("[".repeat(128) + "]".repeat(128));
});

Deno.test("parseJson() parses __proto__ as an ordinary member", () => {
  const value = parseJson('{"__proto__":{"a":1}}');
  assertEquals(JSON.stringify(value), '{"__proto__":{"a":1}}');
});

Deno.test("parseJson() rejects input that exceeds maxBytes or maxDepth", () => {
  assertThrows(() => parseJson("[[1]]", { maxDepth: 1 }), CommError, "1 levels");
  assertThrows(() => parseJson("[]", { maxDepth: 0 }), RangeError);
  assertThrows(() => parseJson("[]", { maxBytes: NaN }), RangeError);
  const cases: readonly (readonly [string | Uint8Array, number])[] = [
    ['"aaaa"', 6],
    ['"ééé"', 8],
    [new TextEncoder().encode('"ééé"'), 8],
  ];
  for (const [input, bytes] of cases) {
    parseJson(input, { maxBytes: bytes });
    const error = assertThrows(() => parseJson(input, { maxBytes: bytes - 1 }), CommError);
    assert(error.is("message_too_large"));
    assertEquals(error.details.limit, bytes - 1);
  }
});

Deno.test("parseJson() applies maxBytes to an ArrayBuffer and a DataView", () => {
  const { buffer } = new TextEncoder().encode("[1]");
  for (const input of [buffer, new DataView(buffer)]) {
    const parse = () => Reflect.apply(parseJson, undefined, [input, { maxBytes: 2 }]);
    assertEquals(assertThrows(parse, CommError).code, "message_too_large");
  }
});

Deno.test("parseJson() accepts at most 1 MiB by default", () => {
  parseJson(`"${"a".repeat(1024 * 1024 - 2)}"`);
  const error = assertThrows(() => parseJson(`"${"a".repeat(1024 * 1024 - 1)}"`), CommError);
  assertEquals(error.code, "message_too_large");
});

Deno.test("parseJson() parses the output of JSON.stringify with any indentation", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t", "\r\n"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      assertEquals(JSON.stringify(parseJson(text)), JSON.stringify(value));
      assertEquals(
        JSON.stringify(parseJson(new TextEncoder().encode(text))),
        JSON.stringify(value),
      );
    }),
    propertyRuns(500),
  );
});

Deno.test("parseJson() accepts only input that JSON.parse accepts, with the same result", () => {
  const alphabet = fc.constantFrom(...'{}[]:,"\\ue+-.0123456789tfnarlsE \n');
  fc.assert(
    fc.property(fc.string({ unit: alphabet, maxLength: 30 }), (text) => {
      let value: unknown;
      try {
        value = parseJson(text);
      } catch (error) {
        assert(error instanceof CommError);
        return;
      }
      assertEquals(value, JSON.parse(text));
    }),
    propertyRuns(1000),
  );
});
