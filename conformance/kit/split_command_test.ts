import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { KitError } from "./error.ts";
import { joinCommand, splitCommand } from "./split_command.ts";

Deno.test("splitCommand() separates at white space and keeps quoted text together", () => {
  assertEquals(splitCommand(`  a  "b c" 'd "e"' f"g h"i "j\\"k" `), [
    "a",
    "b c",
    'd "e"',
    "fg hi",
    'j"k',
  ]);
  assertEquals(splitCommand("''"), [""]);
});

Deno.test("splitCommand() refuses an empty command and an open quote", () => {
  assertThrows(() => splitCommand(" "), KitError, "the command is empty");
  assertThrows(() => splitCommand(`a "b`), KitError, "unterminated quote");
});

Deno.test("joinCommand() is undone by splitCommand()", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
      assertEquals(splitCommand(joinCommand(words)), words);
    }),
    propertyRuns(200),
  );
});
