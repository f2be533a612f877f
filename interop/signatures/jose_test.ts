/**
 * Lets the package `jose` verify our signatures of JSON objects, and verifies its signatures.
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { createSigner } from "@parley/comm";
import { signJson, verifyJson } from "@parley/comm/jws";
import canonicalizeThirdParty from "canonicalize";
import { FlattenedSign, flattenedVerify, importJWK } from "jose";

const SIGNER = await createSigner({ seed: new Uint8Array(32).fill(7) });
const CARD = {
  name: "Zürich 😀",
  version: "1.0.0",
  numbers: [1e30, 0.002, 4.5, 9007199254740991],
  skills: [{ id: "s", "\u20ac": null, "\r": true, "1": "one" }],
};

/** The payload of a signature, as the package `canonicalize` writes it. */
function payloadOf(value: object): Uint8Array {
  const text = canonicalizeThirdParty(value);
  assert(text !== undefined);
  return new TextEncoder().encode(text);
}

function toBase64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

const PRIVATE_JWK = {
  kty: "OKP",
  crv: "Ed25519",
  d: toBase64url(new Uint8Array(32).fill(7)),
  x: toBase64url(SIGNER.publicKey),
};
const { d: _secret, ...PUBLIC_JWK } = PRIVATE_JWK;

Deno.test("jose verifies a signature that signJson() has created", async () => {
  const signature = await signJson(CARD, SIGNER);
  const key = await importJWK(PUBLIC_JWK, "EdDSA");
  const attach = (value: object) => ({
    protected: signature.protected,
    signature: signature.signature,
    payload: toBase64url(payloadOf(value)),
  });
  const { protectedHeader } = await flattenedVerify(attach(CARD), key);
  assertEquals(protectedHeader, { alg: "EdDSA", kid: SIGNER.keyId, typ: "JOSE" });
  await assertRejects(() => flattenedVerify(attach({ ...CARD, version: "1.0.1" }), key));
});

for (const alg of ["EdDSA", "Ed25519"]) {
  Deno.test(`verifyJson() accepts a signature of jose with the algorithm ${alg}`, async () => {
    const key = await importJWK(PRIVATE_JWK, alg);
    const { payload: _detached, ...signature } = await new FlattenedSign(payloadOf(CARD))
      .setProtectedHeader({ alg, kid: SIGNER.keyId })
      .setUnprotectedHeader({ note: "not signed" })
      .sign(key);
    const expected = { ok: true, did: SIGNER.did, keyId: SIGNER.keyId } as const;
    assertEquals(await verifyJson(CARD, signature), expected);
    const changed = await verifyJson({ ...CARD, version: "1.0.1" }, signature);
    assertEquals(changed.ok || changed.reason, "signature_invalid");
  });
}
