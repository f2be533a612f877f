import { assertEquals } from "@std/assert";
import { writeJson } from "./write_json.ts";

/** What JavaScript lists in another order. */
const DISORDERED = { "9": [true, { b: null, "1": "é\n" }], "10": -1.5, a: {} };
const IN_ORDER = '{"10":-1.5,"9":[true,{"1":"é\\n","b":null}],"a":{}}';

Deno.test("writeJson() writes members in the order that they stand in", () => {
  assertEquals(
    writeJson({ a: ["x", 1e21, null], b: { c: '"' } }, false),
    '{"a":["x",1e+21,null],"b":{"c":"\\""}}',
  );
});

Deno.test("writeJson() sorts what JavaScript has disordered", () => {
  assertEquals(writeJson(DISORDERED, true), IN_ORDER);
});

Deno.test("writeJson() asks no toJSON of a shared prototype", () => {
  for (const prototype of [Object.prototype, Array.prototype]) {
    Object.defineProperty(prototype, "toJSON", { value: () => "forged", configurable: true });
    try {
      assertEquals(writeJson({ a: [{}] }, false), '{"a":[{}]}');
    } finally {
      Reflect.deleteProperty(prototype, "toJSON");
    }
  }
});
