import { assertEquals } from "@std/assert";
import { quoteUntrusted } from "./quote_untrusted.ts";

Deno.test("quoteUntrusted() escapes invisible characters and marks a truncated text", () => {
  assertEquals(
    quoteUntrusted("a\u001b[2J\n\u202eb\u200bc\u2028d"),
    `"${"a\\u{1b}[2J\\u{a}\\u{202e}b\\u{200b}c\\u{2028}d"}"`,
  );
  assertEquals(quoteUntrusted("x".repeat(201)), `"${"x".repeat(200)}…"`);
  assertEquals(quoteUntrusted(`${"x".repeat(199)}\u{1f600}`), `"${"x".repeat(199)}…"`);
  assertEquals(quoteUntrusted(null), "null");
  assertEquals(quoteUntrusted({}), "object");
});
