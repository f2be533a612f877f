import { assertEquals } from "@std/assert";
import { writeJson } from "./write_json.ts";

/** An object whose members JavaScript does not enumerate in sorted order. */
const DISORDERED = { "9": [true, { b: null, "1": "é\n" }], "10": -1.5, a: {} };
const IN_ORDER = '{"10":-1.5,"9":[true,{"1":"é\\n","b":null}],"a":{}}';

Deno.test("writeJson() writes members in their existing order", () => {
  assertEquals(
    writeJson({ a: ["x", 1e21, null], b: { c: '"' } }, false),
    '{"a":["x",1e+21,null],"b":{"c":"\\""}}',
  );
});

Deno.test("writeJson() sorts members that JavaScript enumerates in another order", () => {
  assertEquals(writeJson(DISORDERED, true), IN_ORDER);
});

Deno.test("writeJson() ignores toJSON on a shared prototype", () => {
  for (const prototype of [Object.prototype, Array.prototype]) {
    Object.defineProperty(prototype, "toJSON", { value: () => "forged", configurable: true });
    try {
      assertEquals(writeJson({ a: [{}] }, false), '{"a":[{}]}');
    } finally {
      Reflect.deleteProperty(prototype, "toJSON");
    }
  }
});
