import { assertEquals, assertThrows } from "@std/assert";
import { decodeHex, encodeHex } from "@std/encoding/hex";
import { CommError } from "../shared/error.ts";
import { didKeyResolver, formatDidKey, parseDidKey } from "./key.ts";
import { formatBase58 } from "../shared/base58.ts";

/** Public key from RFC 8032 §7.1, test 1. */
const PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const DID = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";

Deno.test("formatDidKey() encodes the public key", () => {
  assertEquals(formatDidKey(decodeHex(PUBLIC_KEY)), DID);
  assertEquals(encodeHex(parseDidKey(DID)), PUBLIC_KEY);
  assertThrows(() => formatDidKey(new Uint8Array(31)), RangeError);
});

/** Formats bytes as a did:key, without validation. */
function toDid(hex: string): string {
  return `did:key:z${formatBase58(decodeHex(hex))}`;
}

Deno.test("parseDidKey() rejects other key types and non-canonical encodings", () => {
  const refused = {
    "another method": "did:web:example.com",
    "x25519": toDid(`ec01${PUBLIC_KEY}`),
    "a varint with an unnecessary byte": toDid(`ed8100${PUBLIC_KEY.slice(2)}`),
    "one byte too many": toDid(`ed01${PUBLIC_KEY}00`),
    "one byte too few": toDid(`ed01${PUBLIC_KEY.slice(2)}`),
    "base64url multibase": "did:key:u7QHXWpgBgrEKt9VL_tPJZAc6DuFy89qmIyWvAhpo9wdRGg",
    "a character outside the base58 alphabet": DID.replace("t", "0"),
    "20,000 characters": `did:key:z${"1".repeat(20_000)}`,
    "2,000 characters": `did:key:z6Mk${"z".repeat(2000)}`,
  };
  for (const [name, did] of Object.entries(refused)) {
    assertEquals(assertThrows(() => parseDidKey(did), CommError).code, "did_invalid", name);
  }
});

Deno.test("didKeyResolver returns a document with one key", async () => {
  const { didDocument } = await didKeyResolver.resolve(DID);
  const keyId = `${DID}#${DID.slice("did:key:".length)}`;
  assertEquals(didDocument, {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
    id: DID,
    verificationMethod: [{
      id: keyId,
      type: "Multikey",
      controller: DID,
      publicKeyMultibase: DID.slice("did:key:".length),
    }],
    authentication: [keyId],
    assertionMethod: [keyId],
    capabilityInvocation: [keyId],
    capabilityDelegation: [keyId],
  });
});

Deno.test("didKeyResolver returns the error invalidDid for an invalid or different DID", async () => {
  for (const did of ["did:web:example.com", "did:key:z6Mk", "nonsense"]) {
    const { didDocument, didResolutionMetadata } = await didKeyResolver.resolve(did);
    assertEquals([didDocument, didResolutionMetadata.error], [null, "invalidDid"]);
  }
});
