import { assertEquals } from "@std/assert";
import { findStaleFiles } from "./build_cases.ts";

Deno.test("each generated case is identical to the output of its generator", async () => {
  assertEquals(await findStaleFiles(), []);
});
