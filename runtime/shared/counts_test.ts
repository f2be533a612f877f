import { assertEquals, assertThrows } from "@std/assert";
import { maxTotalTokens } from "../loop/stop_conditions.ts";
import { jsonSchemaValidator } from "../tools/json_schema.ts";

const NOT_COUNTS: readonly unknown[] = [-1, 1.5, 1e300, 2 ** 53, NaN, Infinity, "5", 5n, null];

Deno.test("every option that is a count accepts only integers of at least its minimum", () => {
  for (const value of NOT_COUNTS) {
    const shown = typeof value === "string" ? `"${value}"` : String(value);
    const max: unknown = value;
    const tokens = assertThrows(() => Reflect.apply(maxTotalTokens, undefined, [max]), RangeError);
    assertEquals(tokens.message, `"maxTotalTokens" must be a non-negative integer, got ${shown}`);
    for (const name of ["maxNodes", "maxUniqueItems", "maxPatternLength"]) {
      const options: object = { [name]: value };
      const { message } = assertThrows(() => jsonSchemaValidator(options), RangeError);
      assertEquals(message, `"${name}" must be a positive integer, got ${shown}`);
    }
  }
});
