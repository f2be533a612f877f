import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { cachedResolver } from "../did/cache.ts";
import { formatDidKey } from "../did/key.ts";
import { didKeyResolver } from "../did/key.ts";
import type { Resolvable } from "../did/resolver.ts";
import { CommError } from "../shared/error.ts";
import { isJsonObject } from "../shared/json.ts";
import { openSenderKeys } from "./sender_keys.ts";

const ANN = formatDidKey(new Uint8Array(32).fill(9));
const BOB = formatDidKey(new Uint8Array(32).fill(8));

Deno.test("openSenderKeys() imports the keys of a cached document once", async () => {
  const resolver = cachedResolver(didKeyResolver);
  const [first] = await openSenderKeys(ANN, { resolver });
  const [second] = await openSenderKeys(ANN, { resolver });
  assert(first !== undefined);
  assertStrictEquals(first, second);
  const [other] = await openSenderKeys(ANN, { resolver, relationship: "assertionMethod" });
  assert(other !== first);
  assertEquals(other?.keyId, first.keyId);
});

Deno.test("openSenderKeys() imports the keys of an uncached document again", async () => {
  const [first] = await openSenderKeys(ANN, {});
  const [second] = await openSenderKeys(ANN, {});
  assert(first !== second);
});

Deno.test("openSenderKeys() does not return the cached keys of another DID", async () => {
  const cached = cachedResolver(didKeyResolver);
  const confused: Resolvable = { resolve: () => cached.resolve(ANN) };
  await openSenderKeys(ANN, { resolver: confused });
  const error = await assertRejects(() => openSenderKeys(BOB, { resolver: confused }), CommError);
  assertEquals(error.code, "did_resolution_failed");
});

Deno.test("openSenderKeys() checks the revocation time of a cached key on each call", async () => {
  const { didDocument } = await didKeyResolver.resolve(ANN);
  assert(isJsonObject(didDocument) && Array.isArray(didDocument.verificationMethod));
  const [method] = didDocument.verificationMethod;
  const revoked = "2026-01-02T03:04:05Z";
  const resolver = cachedResolver({
    resolve: () =>
      Promise.resolve({
        didDocument: { ...didDocument, verificationMethod: [{ ...method, revoked }] },
        didResolutionMetadata: {},
        didDocumentMetadata: {},
      }),
  });
  let nowMs = Date.parse(revoked) - 1;
  const options = { resolver, now: () => nowMs };
  const [first] = await openSenderKeys(ANN, options);
  const [second] = await openSenderKeys(ANN, options);
  assertStrictEquals(first, second);
  nowMs++;
  const error = await assertRejects(() => openSenderKeys(ANN, options), CommError);
  assertEquals(error.code, "key_revoked");
});
