import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { GOOGLE_NAMES, toWireName, wireNamesOf } from "./tool_names.ts";

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

Deno.test("toWireName() returns names that begin with a letter or an underscore, if required", () => {
  assertEquals(toWireName("_2fa", GOOGLE_NAMES), "_2fa");
  const name = fc.oneof(fc.string(), fc.stringMatching(/^[0-9-][a-z0-9-]{0,70}$/));
  fc.assert(
    fc.property(name, name, (a, b) => {
      const wire = toWireName(a, GOOGLE_NAMES);
      assertMatch(wire, /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      assertEquals(toWireName(wire, GOOGLE_NAMES), wire);
      if (a !== b) assertNotEquals(wire, toWireName(b, GOOGLE_NAMES));
    }),
    propertyRuns(300),
  );
});

Deno.test("wireNamesOf() maps encoded names to tool names", () => {
  const names = wireNamesOf(["fs.read", "plain"].map((name) => ({ name, inputSchema: {} })));
  assertEquals([...names], [[toWireName("fs.read"), "fs.read"]]);
  assert(!names.has("plain"));
});
