import { assert, assertEquals, assertFalse } from "@std/assert";
import { CommError, CommErrorCode } from "./error.ts";
import { tooDeep } from "./json_error.ts";

Deno.test("CommErrorCode has a PascalCase key for each snake_case code", () => {
  for (const [key, code] of Object.entries(CommErrorCode)) {
    const snake = key.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
    assertEquals(code, snake);
  }
});

Deno.test("CommError exposes its code, details, description and cause", () => {
  const cause = new Error("refused");
  const error = new CommError({
    code: "send_failed",
    details: { reason: "no route" },
    message: "Cannot send",
    cause,
  });
  assertEquals(error.code, "send_failed");
  assertEquals(error.errorDescription, "Cannot send");
  assertEquals(error.cause, cause);
  assertEquals(error.name, "CommError");
});

Deno.test("CommError.is() compares the code and narrows the details", () => {
  const error: CommError = tooDeep(128);
  assert(error.is("too_deep"));
  assertEquals(error.details.limit, 128);
  assertFalse("offset" in error.details);
  assertFalse(error.is("timeout"));
});

Deno.test("CommError has no cause if none is given", () => {
  assertFalse("cause" in tooDeep(1));
});

Deno.test("CommError escapes invisible characters in its message but not in its details", () => {
  const reason = "a\u001b[2J\n\u202eb\u200bc\u2028d";
  const error = new CommError({ code: "send_failed", details: { reason }, message: reason });
  assertEquals(error.message, "a\\u{1b}[2J\\u{a}\\u{202e}b\\u{200b}c\\u{2028}d");
  assertEquals(error.details, { reason });
});
