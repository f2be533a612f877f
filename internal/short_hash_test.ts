import { assertEquals } from "@std/assert";
import { shortHash } from "./short_hash.ts";

/** Texts and hashes of draft-eastlake-fnv, 32-bit FNV-1a. */
const HASHES: readonly [string, string][] = [
  ["", "811c9dc5"],
  ["a", "e40c292c"],
  ["foobar", "bf9cf968"],
];

Deno.test("shortHash() returns the 32-bit FNV-1a hash", () => {
  for (const [text, hash] of HASHES) assertEquals(shortHash(text), hash);
});
