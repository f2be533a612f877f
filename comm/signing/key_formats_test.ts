import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import { formatDidKey } from "../did/key.ts";
import { readBase64url } from "../shared/base64url.ts";
import { CommError } from "../shared/error.ts";
import type { SignerInit } from "./signer.ts";
import { createSigner, generateSigner, signMessage } from "./signing.ts";
import { verifyMessage } from "./verify_message.ts";

/** The key from RFC 8037, appendix A.1. */
const JWK = {
  kty: "OKP",
  crv: "Ed25519",
  d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
};

/** The key from RFC 8410 §10.3, in version 1, and in version 2 with attributes and a public key. */
const PKCS8_V1 = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC";
const PKCS8_V2 = "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC" +
  "oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
/** The public key from RFC 8410 §10.1. */
const PUBLIC_KEY = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";

function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

async function errorOf(init: unknown): Promise<string> {
  const error = await assertRejects(() => createSigner(init as SignerInit), Error);
  assertFalse(error.message.includes(JWK.d), "the error must not contain the private key");
  return error instanceof CommError ? error.code : error.name;
}

Deno.test("createSigner() reads the JWK of RFC 8037", async () => {
  const signer = await createSigner({ jwk: JWK });
  assertEquals(signer.publicKey, readBase64url(JWK.x));
  assertEquals(signer.did, formatDidKey(signer.publicKey));
});

Deno.test("createSigner() reads both versions of PKCS #8 in RFC 8410", async () => {
  for (const text of [PKCS8_V1, PKCS8_V2]) {
    const signer = await createSigner({ pkcs8: toBytes(text) });
    assertEquals(signer.publicKey, toBytes(PUBLIC_KEY).slice(12));
  }
});

Deno.test("createSigner() takes DID and key id from the kid of a JWK", async () => {
  const keyId = "did:web:ann.example#key-1";
  const signer = await createSigner({ jwk: { ...JWK, kid: keyId } });
  assertEquals([signer.did, signer.keyId], ["did:web:ann.example", keyId]);
  const given = await createSigner({
    jwk: { ...JWK, kid: keyId },
    did: "did:web:ann.example",
    keyId,
  });
  assertEquals(given.keyId, keyId);
});

Deno.test("createSigner() rejects keys that are not private Ed25519 keys", async () => {
  const other = await generateSigner({ extractable: true });
  const { x } = await other.exportJwk();
  const { d: _, ...publicJwk } = JWK;
  const jwks: [string, object][] = [
    ['a missing "d"', publicJwk],
    ["another curve", { ...JWK, crv: "X25519" }],
    ["a different key type", { ...JWK, kty: "EC" }],
    ['a "d" that is too short', { ...JWK, d: JWK.d.slice(2) }],
    ['a "d" with padding', { ...JWK, d: `${JWK.d}=` }],
    ['a missing "x"', { ...JWK, x: undefined }],
    ['the "x" of a different key', { ...JWK, x }],
    ['a "kid" that is not a DID URL', { ...JWK, kid: "key-1" }],
    ['a "kid" without a fragment', { ...JWK, kid: "did:web:ann.example" }],
    ["the did:key of a different key", { ...JWK, kid: other.keyId }],
  ];
  for (const [name, jwk] of jwks) assertEquals(await errorOf({ jwk }), "invalid_argument", name);
  const kid = "did:web:ann.example#key-1";
  assertEquals(
    await errorOf({
      jwk: { ...JWK, kid },
      did: "did:web:bob.example",
      keyId: "did:web:bob.example#1",
    }),
    "invalid_argument",
  );
  assertEquals(await errorOf({ jwk: null }), "TypeError");
  assertEquals(await errorOf({ jwk: "{}" }), "TypeError");
});

Deno.test("createSigner() rejects PKCS #8 keys that are not Ed25519 keys", async () => {
  const valid = toBytes(PKCS8_V2);
  function change(index: number, value: number): Uint8Array {
    return valid.with(index, value);
  }
  const x25519 = await crypto.subtle.generateKey({ name: "X25519" }, true, ["deriveBits"]);
  assert("privateKey" in x25519);
  const keys: [string, Uint8Array][] = [
    ["no bytes", new Uint8Array()],
    ["a seed", new Uint8Array(32)],
    ["a public key", toBytes(PUBLIC_KEY)],
    ["X25519", new Uint8Array(await crypto.subtle.exportKey("pkcs8", x25519.privateKey))],
    ["a truncated key", valid.subarray(0, 50)],
    ["trailing bytes", Uint8Array.of(...valid, 0)],
    ["another version", change(4, 2)],
    ["a public key that does not match", change(valid.length - 1, 0)],
    ["attributes that extend beyond the end", change(49, 0x7f)],
  ];
  for (const [name, pkcs8] of keys) {
    assertEquals(await errorOf({ pkcs8 }), "invalid_argument", name);
  }
  assertEquals(await errorOf({ pkcs8: PKCS8_V1 }), "TypeError");
});

Deno.test("createSigner() rejects zero and several keys", async () => {
  assertEquals(await errorOf({}), "TypeError");
  assertEquals(await errorOf({ jwk: JWK, seed: new Uint8Array(32) }), "TypeError");
  assertEquals(await errorOf({ pkcs8: toBytes(PKCS8_V1), jwk: JWK }), "TypeError");
});

Deno.test("generateSigner() exports keys that restore the signer", async () => {
  const signer = await generateSigner({ extractable: true });
  const jwk = JSON.parse(JSON.stringify(await signer.exportJwk()));
  const pkcs8 = await signer.exportPkcs8();
  const message = new AgentCommMessage({
    sender: signer.did,
    recipient: "did:web:bob.example",
    protocol: "agent.task.v1",
    messageType: "request",
    payload: null,
  });
  for (const restored of [await createSigner({ jwk }), await createSigner({ pkcs8 })]) {
    assertEquals(restored.keyId, signer.keyId);
    assertEquals(
      (await signMessage(message, restored)).signature,
      (await signMessage(message, signer)).signature,
    );
  }
  const signed = await signMessage(message, signer);
  assert((await verifyMessage(signed, { recipient: message.recipient })).ok);
  assertEquals(jwk.kid, signer.keyId);
});

Deno.test("WebCrypto reads exported keys", async () => {
  const signer = await generateSigner({ extractable: true });
  const { kid: _, ...jwk } = await signer.exportJwk();
  const fromJwk = await crypto.subtle.importKey("jwk", jwk, "Ed25519", true, ["sign"]);
  const pkcs8 = await signer.exportPkcs8();
  assertEquals(new Uint8Array(await crypto.subtle.exportKey("pkcs8", fromJwk)), pkcs8);
});

Deno.test("generateSigner() without extractable creates a signer that cannot be exported", async () => {
  const signer = await generateSigner();
  assertFalse("exportJwk" in signer || "exportPkcs8" in signer);
});
