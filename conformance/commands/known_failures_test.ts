import { assertEquals } from "@std/assert";
import { findKnownFailures } from "./known_failures.ts";

Deno.test("findKnownFailures() returns the implementations that are listed for a case", async () => {
  const list = new URL("../testdata/known_failures.json", import.meta.url);
  assertEquals(await findKnownFailures("mcp/a/c", list), ["one 1.0", "two 2.0"]);
  assertEquals(await findKnownFailures("mcp/a/b", list), ["one 1.0"]);
  assertEquals(await findKnownFailures("mcp/a/d", list), []);
});

Deno.test("findKnownFailures() returns nothing if the kit has no list, or was loaded from a registry", async () => {
  for (const url of ["../testdata/no_such_file.json", "https://registry.example/known.json"]) {
    assertEquals(await findKnownFailures("mcp/a/b", new URL(url, import.meta.url)), []);
  }
});
