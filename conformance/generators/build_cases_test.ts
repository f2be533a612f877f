import { assertEquals } from "@std/assert";
import { findStaleFiles } from "./build_cases.ts";

Deno.test("the generators make the case files byte for byte", async () => {
  assertEquals(await findStaleFiles(), []);
});
