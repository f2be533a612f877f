import { assertEquals } from "@std/assert";
import { toJob } from "./pgboss_inbox.ts";

// The digests are calculated with Python's `hashlib`. If the digests change, messages that are
// already stored are stored again.
Deno.test("toJob() derives the job id and the lane from SHA-256 digests", () => {
  const id = "1d7343b1-103d-39c0-e35a-2830e6437bf6";
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
