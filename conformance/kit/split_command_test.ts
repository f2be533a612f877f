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

Deno.test("splitCommand() splits at CR LF, and keeps the backslashes of Windows paths", () => {
  const node = String.raw`C:\Program Files\node.exe`;
  assertEquals(splitCommand(`"${node}" server.js\r\n  --port 1\r\n`), [
    node,
    "server.js",
    "--port",
    "1",
  ]);
  assertEquals(splitCommand(String.raw`C:\tools\server.cmd a\b`), [
    String.raw`C:\tools\server.cmd`,
    String.raw`a\b`,
  ]);
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
