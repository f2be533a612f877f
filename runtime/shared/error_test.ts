import { assertEquals } from "@std/assert";
import { AgentError } from "./error.ts";

Deno.test("AgentError escapes invisible characters in its message but not in its details", () => {
  const reason = "a\u001b[2J\n\u202eb\u200bc\u2028d";
  const error = AgentError.toolExecutionFailed("look", reason);
  assertEquals(
    error.message,
    `Cannot execute tool "look": ${"a\\u{1b}[2J\\u{a}\\u{202e}b\\u{200b}c\\u{2028}d"}`,
  );
  assertEquals(error.details, { toolName: "look", reason });
});
