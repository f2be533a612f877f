import { assertEquals } from "@std/assert";
import { ErrorOutput } from "./error_output.ts";

Deno.test("ErrorOutput returns the text of the current case", () => {
  const errors = new ErrorOutput();
  const write = (text: string): void => errors.add(new TextEncoder().encode(text));
  write("starting\nready\n");
  assertEquals(errors.excerpt(), "starting\nready");
  errors.begin();
  assertEquals(errors.excerpt(), "");
  write("TypeError: ");
  write("no\n");
  assertEquals(errors.excerpt(), "TypeError: no");
});
