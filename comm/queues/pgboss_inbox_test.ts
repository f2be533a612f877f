import { assertEquals, assertNotEquals } from "@std/assert";
import { toJob } from "./pgboss_inbox.ts";

// The digests are calculated with Python's `hashlib`. If the digests change, messages that are
// already stored are stored again.
Deno.test("toJob() derives the job id and the lane from SHA-256 digests", () => {
  const id = "50d07c03-bddf-15af-4208-2166d9a2ca34";
  const key = "did:web:ann.example 1";
  assertEquals(toJob({ key, lane: undefined, json: "{}" }), { id, data: { json: "{}" } });
  const lane = "did:web:ann.example did:web:bob.example";
  const singletonKey = "TDhSugBoGBa9suzrLrqu9dmdPZfeAISTRccloXBYtAQ";
  assertEquals(toJob({ key, lane, json: "{}" }), {
    id,
    data: { json: "{}", lane: singletonKey },
    singletonKey,
  });
});

Deno.test("toJob() returns different job ids for messages with the same key and another content", () => {
  const [forged, genuine] = ["{}", '{"a":1}'].map((json) =>
    toJob({ key: "did:web:ann.example 1", lane: undefined, json }).id
  );
  assertNotEquals(forged, genuine);
});
