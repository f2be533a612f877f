import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { stringifyKept, withKeptJson } from "./kept_json.ts";
import { success } from "./message.ts";

/** Items of a list, of which some have kept JSON. */
const ITEMS = fc.array(
  fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue()).map((value) => withKeptJson({ ...value })),
    fc.dictionary(fc.string(), fc.jsonValue()).map((value) => ({ ...withKeptJson({ ...value }) })),
    fc.constantFrom(undefined, null, 1, "text", () => {}),
  ),
);

Deno.test("stringifyKept() returns the same values as JSON.stringify()", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.integer()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string(),
      ITEMS,
      (id, members, name, items) => {
        const message = success(id, { ...members, [name]: items });
        assertEquals(JSON.parse(stringifyKept(message)), JSON.parse(JSON.stringify(message)));
      },
    ),
    propertyRuns(500),
  );
});

Deno.test("stringifyKept() does not serialize kept values again", () => {
  let reads = 0;
  const schema = {
    get type() {
      reads++;
      return "object";
    },
  };
  const item = withKeptJson({ name: "a", schema });
  assertEquals(reads, 1);
  const message = success(1, { tools: [item, item], nextCursor: "a" });
  const text = '{"name":"a","schema":{"type":"object"}}';
  assertEquals(
    stringifyKept(message),
    `{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"a","tools":[${text},${text}]}}`,
  );
  assertEquals(reads, 1);
});

Deno.test("stringifyKept() sends the changes of copies, and kept values cannot be changed", () => {
  const item = withKeptJson({ name: "a", title: "A" });
  const copy = { ...item, title: "B" };
  assertEquals(
    stringifyKept(success("x", { tools: [item, copy] })),
    '{"jsonrpc":"2.0","id":"x","result":{"tools":[{"name":"a","title":"A"},{"name":"a","title":"B"}]}}',
  );
  assertThrows(() => Object.assign(item, { title: "B" }), TypeError);
});

Deno.test("stringifyKept() respects the toJSON function of a result", () => {
  const result = { tools: [withKeptJson({ name: "a" })], toJSON: () => ({ tools: [] }) };
  const text = '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}';
  assertEquals(stringifyKept(success(1, result)), text);
});

Deno.test("withKeptJson() rejects an object that JSON cannot represent", () => {
  assertThrows(() => withKeptJson({ size: 1n }), TypeError);
});
