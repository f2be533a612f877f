import { assertEquals } from "@std/assert";
import { KitError } from "./error.ts";

Deno.test("KitError escapes invisible characters in its message", () => {
  assertEquals(
    new KitError("usage", "a\u001b[2J\n\u202eb\u200bc\u2028d").message,
    "a\\u{1b}[2J\\u{a}\\u{202e}b\\u{200b}c\\u{2028}d",
  );
});
