import { assertEquals, assertMatch } from "@std/assert";
import { randomToken } from "./crypto.ts";

Deno.test("randomToken() never returns a token that a command line could parse as an option", () => {
  const tokens = Array.from({ length: 1000 }, randomToken);
  assertEquals(new Set(tokens).size, tokens.length);
  for (const token of tokens) assertMatch(token, /^[0-9a-f]{36}$/);
});
