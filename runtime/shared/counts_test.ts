import { assertEquals, assertThrows } from "@std/assert";
import { NOT_COUNTS } from "../../tools/testing/count_options.ts";
import { maxTotalTokens } from "../loop/stop_conditions.ts";
import { jsonSchemaValidator } from "../tools/json_schema.ts";

Deno.test("every option that is a count accepts only integers of at least its minimum", () => {
  for (const value of NOT_COUNTS) {
    const shown = typeof value === "string" ? `"${value}"` : String(value);
    const max: unknown = value;
    const tokens = assertThrows(() => Reflect.apply(maxTotalTokens, undefined, [max]), RangeError);
    assertEquals(tokens.message, `"maxTotalTokens" must be a non-negative integer, got ${shown}`);
    for (const name of ["maxNodes", "maxSteps", "maxUniqueItems", "maxPatternLength"]) {
      const options: object = { [name]: value };
      const { message } = assertThrows(() => jsonSchemaValidator(options), RangeError);
      assertEquals(message, `"${name}" must be a positive integer, got ${shown}`);
    }
  }
});
