import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { CommError } from "../shared/error.ts";
import { isDid, parseDid } from "./did.ts";
import { didInvalid } from "./did_error.ts";

Deno.test("parseDid() parses DIDs of any method", () => {
  assertEquals(parseDid("did:key:z6Mk"), { method: "key", id: "z6Mk" });
  assertEquals(parseDid("did:web:a.example%3A8443:b"), { method: "web", id: "a.example%3A8443:b" });
  assertEquals(parseDid("did:x1::-._"), { method: "x1", id: ":-._" });
});

Deno.test("parseDid() rejects invalid DIDs", () => {
  const refused = [
    "",
    "did",
    "did:key",
    "did:key:",
    "did:Key:a",
    "DID:key:a",
    "did::a",
    "did:key:a:",
    "did:key:a#b",
    "did:key:a/b",
    "did:key:a?b",
    "did:key:a b",
    "did:key:%zz",
    "did:key:é",
    "did:key:a\n",
    `did:key:${"a".repeat(2041)}`,
  ];
  for (const text of refused) {
    assertFalse(isDid(text), text);
    assertEquals(assertThrows(() => parseDid(text), CommError).code, "did_invalid");
  }
  assertFalse(isDid(undefined));
  assert(isDid(`did:key:${"a".repeat(2040)}`));
});

Deno.test("parseDid() is fast for hostile input", () => {
  const started = performance.now();
  assertFalse(isDid(`did:key:${"%41".repeat(600)}%`));
  assertFalse(isDid(`did:key:${":".repeat(2000)}`));
  assert(performance.now() - started < 1000);
});

Deno.test("didInvalid() truncates the quoted DID to 100 characters", () => {
  const error = didInvalid(`did:key:${"\n".repeat(100_000)}`, "not a key");
  assert(error.message.length < 400);
  assert(error.is("did_invalid"));
  assertEquals(error.details.did.length, 101);
});
