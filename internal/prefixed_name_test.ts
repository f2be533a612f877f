import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { prefixedName } from "./prefixed_name.ts";

// The digests are from `printf '%s' NAME | sha256sum`.
const TABLE: readonly [prefix: string, name: string, expected: string][] = [
  ["files_", "read", "files_read"],
  ["", "read-all", "read-all"],
  ["files_", "x".repeat(58), `files_${"x".repeat(58)}`],
  ["files_", "x".repeat(59), `files_${"x".repeat(51)}_8a47df`],
  ["crm_", "files.read", "crm_files_read_83bd68"],
  ["café_", "search", "caf__search_56aa18"],
  ["", "", "_e3b0c4"],
];

for (const [prefix, name, expected] of TABLE) {
  Deno.test(`prefixedName() converts ${JSON.stringify(prefix)} and ${JSON.stringify(name)}`, async () => {
    assertEquals(await prefixedName(prefix, name), expected);
  });
}

Deno.test("prefixedName() keeps names apart that differ after the cut or in a replaced character", async () => {
  const long = "x".repeat(100);
  assertNotEquals(await prefixedName("a_", `${long}1`), await prefixedName("a_", `${long}2`));
  assertNotEquals(await prefixedName("a_", "b.c"), await prefixedName("a_", "b/c"));
  assertNotEquals(await prefixedName("a_", "b.c"), await prefixedName("a_", "b_c"));
});

Deno.test("prefixedName() returns a name that model providers accept, and keeps accepted names", async () => {
  const text = fc.string({ unit: "binary", maxLength: 100 });
  await fc.assert(
    fc.asyncProperty(text, text, async (prefix, name) => {
      const prefixed = await prefixedName(prefix, name);
      assertMatch(prefixed, /^[A-Za-z0-9_-]{1,64}$/);
      assertEquals(await prefixedName("", prefixed), prefixed);
    }),
    propertyRuns(200),
  );
});
