import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { clip, quote, toJsonText } from "./response_fields.ts";

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

Deno.test("toJsonText() replaces lone surrogates in names and values, and nothing else", () => {
  const smile = "\u{1f600}";
  assertEquals(
    toJsonText({ "\udc00": ["a\ud83d", "\udc00\ud83d", `\\ud83d${smile}`, "\\\ud83d", "\n"] }),
    `{"\ufffd":["a\ufffd","\ufffd\ufffd","\\\\ud83d${smile}","\\\\\ufffd","\\n"]}`,
  );
  const units = fc.array(
    fc.constantFrom("a", "\\", "ud83d", "\ud83d", "\udc00", smile, '"', "\u0001"),
  );
  fc.assert(
    fc.property(units, (parts) => {
      const text = parts.join("");
      const json = toJsonText([text]);
      assertEquals(json.isWellFormed(), true);
      assertEquals(JSON.parse(json), [text.toWellFormed()]);
    }),
    propertyRuns(200),
  );
});
