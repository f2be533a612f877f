import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { toWireName, wireNamesOf } from "./tool_names.ts";

Deno.test("toWireName() returns accepted names unchanged and adds a hash to others", () => {
  assertEquals(toWireName("read_file-2"), "read_file-2");
  assertEquals(toWireName("fs.read"), "fs_read_d154e2a4");
  // The expected hashes are FNV-1a values; the hash of the empty name is the FNV offset basis.
  assertEquals(toWireName(""), "_811c9dc5");
});

Deno.test("toWireName() returns accepted, stable and distinct names", () => {
  const name = fc.oneof(fc.string(), fc.stringMatching(/^[a-z.]{60,70}$/));
  fc.assert(
    fc.property(name, name, (a, b) => {
      assertMatch(toWireName(a), /^[A-Za-z0-9_-]{1,64}$/);
      assertEquals(toWireName(toWireName(a)), toWireName(a));
      if (a !== b) assertNotEquals(toWireName(a), toWireName(b));
    }),
    propertyRuns(300),
  );
});

Deno.test("wireNamesOf() maps encoded names to tool names", () => {
  const names = wireNamesOf(["fs.read", "plain"].map((name) => ({ name, inputSchema: {} })));
  assertEquals([...names], [[toWireName("fs.read"), "fs.read"]]);
  assert(!names.has("plain"));
});
