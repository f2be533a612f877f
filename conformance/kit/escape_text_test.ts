import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { escapeText, excerpt } from "./escape_text.ts";

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

Deno.test("escapeText replaces control and format characters and line separators", () => {
  for (
    const [text, expected] of [
      ["\u001b[2J\n", "\\u{1b}[2J\\u{a}"],
      ["\u007f\u0085\u009b", "\\u{7f}\\u{85}\\u{9b}"],
      ["\u061c\u200e\u202e\u2066", "\\u{61c}\\u{200e}\\u{202e}\\u{2066}"],
      ["\u00ad\u200b\u200d\u2060\ufeff", "\\u{ad}\\u{200b}\\u{200d}\\u{2060}\\u{feff}"],
      ["\u2028\u2029", "\\u{2028}\\u{2029}"],
      ["\u{e0041}", "\\u{e0041}"],
      ["é \u{1f600}\u00a0x", "é \u{1f600}\u00a0x"],
    ] as const
  ) assertEquals(escapeText(text), expected);
});

Deno.test("escapeText removes every invisible character, and does not change its own result", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const escaped = escapeText(text);
    assertEquals(INVISIBLE.test(escaped), false);
    assertEquals(escapeText(escaped), escaped);
  }));
});

Deno.test("excerpt marks a truncated text and keeps a text that is not too long", () => {
  assertEquals(excerpt("abcd", 4), "abcd");
  assertEquals(excerpt("abcde", 4), "abcd…");
  assertEquals(excerpt("x".repeat(101), 100), `${"x".repeat(100)}…`);
});

Deno.test("excerpt does not split a surrogate pair", () => {
  assertEquals(excerpt("abc\u{1f600}", 4), "abc…");
  assertEquals(excerpt("ab\u{1f600}c", 4), "ab\u{1f600}…");
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, maxLength) => {
    assertEquals(excerpt(text, maxLength).isWellFormed(), true);
  }));
});
