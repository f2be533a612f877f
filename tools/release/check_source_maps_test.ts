import { assertEquals } from "@std/assert";
import { findLine } from "./check_source_maps.ts";

const STACK = `CommError: Cannot serialize value
    at copyValue (/project/esm/shared/json.js:114:13)
    at canonicalize (/project/esm/canonical/canonical_json.js:39:16)
    at file:///project/throw.mjs:3:3
`;

Deno.test("findLine() returns the line of a function", () => {
  assertEquals(findLine(STACK, "canonicalize", "canonical/canonical_json.js"), 39);
});

Deno.test("findLine() returns nothing if the function is missing or in another module", () => {
  assertEquals(findLine(STACK, "canonicalize", "shared/json.js"), undefined);
  assertEquals(findLine(STACK, "canonical", "canonical/canonical_json.js"), undefined);
  assertEquals(findLine("", "canonicalize", "canonical/canonical_json.js"), undefined);
});
