import { assertEquals } from "@std/assert";
import { clip, quote } from "./response_fields.ts";

Deno.test("clip() puts text on one line, escapes invisible characters and marks a truncated text", () => {
  assertEquals(
    clip(" a\u001b[2J\r\n\t\u202eb\u200bc\u2028d ", 50),
    "a\\u{1b}[2J \\u{202e}b\\u{200b}c d",
  );
  assertEquals(clip("abcde", 4), "abcd…");
  assertEquals(clip("abc\u{1f600}", 4), "abc…");
  assertEquals(clip(`a${" ".repeat(100)}b`, 10), "a …");
  assertEquals(quote("abc", 2), '"ab…"');
});
