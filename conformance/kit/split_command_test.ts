import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { KitError } from "./error.ts";
import { joinCommand, splitCommand } from "./split_command.ts";

Deno.test("splitCommand() splits on whitespace and keeps quoted text together", () => {
  assertEquals(splitCommand(`  a  "b c" 'd "e"' f"g h"i "j\\"k" `), [
    "a",
    "b c",
    'd "e"',
    "fg hi",
    'j"k',
  ]);
  assertEquals(splitCommand("''"), [""]);
});

Deno.test("splitCommand() throws for an empty command or an unterminated quote", () => {
  assertThrows(() => splitCommand(" "), KitError, "the command is empty");
  assertThrows(() => splitCommand(`a "b`), KitError, "unterminated quote");
});

Deno.test("splitCommand() returns the words that were passed to joinCommand()", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
      assertEquals(splitCommand(joinCommand(words)), words);
    }),
    propertyRuns(200),
  );
});
