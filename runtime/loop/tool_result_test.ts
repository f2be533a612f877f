import { assertEquals } from "@std/assert";
import { cut } from "./tool_result.ts";

Deno.test("cut() marks a truncated text and does not split a surrogate pair", () => {
  const marked = cut("x".repeat(100_000));
  const length = marked.length - 1;
  assertEquals(marked, `${"x".repeat(length)}…`);
  assertEquals(cut("x".repeat(length)), "x".repeat(length));
  assertEquals(cut(`${"x".repeat(length - 1)}\u{1f600}`), `${"x".repeat(length - 1)}…`);
});
