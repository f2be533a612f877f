import { assert, assertEquals, assertFalse } from "@std/assert";
import { decodeHex, encodeHex } from "@std/encoding/hex";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { createEdgeVectors } from "../testdata/ed25519_edges.ts";
import { detectBackend, WEB_CRYPTO } from "./ed25519.ts";
import { NOBLE } from "./ed25519_noble.ts";
import type { Ed25519Backend } from "./ed25519_strict.ts";

/** RFC 8032 §7.1: seed, public key, message, signature. */
const RFC_8032:
  readonly (readonly [seed: string, publicKey: string, data: string, signature: string])[] = [
    [
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
      "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
  ];

const BACKENDS: readonly Ed25519Backend[] = [WEB_CRYPTO, NOBLE];

for (const backend of BACKENDS) {
  Deno.test(`${backend.name} signs and verifies the test vectors in RFC 8032`, async () => {
    for (const [seed, publicKey, data, signature] of RFC_8032) {
      const key = await backend.openPrivateKey(decodeHex(seed));
      assertEquals(encodeHex(key.publicKey), publicKey);
      assertEquals(encodeHex(await key.sign(decodeHex(data))), signature);
      const opened = await backend.openPublicKey(decodeHex(publicKey));
      assert(await opened.verify(decodeHex(signature), decodeHex(data)));
      assertFalse(await opened.verify(decodeHex(signature), decodeHex(`${data}00`)));
    }
  });

  Deno.test(`${backend.name} rejects every signature if the key is not a point on the curve`, async () => {
    const [, , data, signature] = RFC_8032[0] ?? ["", "", "", ""];
    const opened = await backend.openPublicKey(new Uint8Array(32).fill(2));
    assertFalse(await opened.verify(decodeHex(signature), decodeHex(data)));
  });
}

Deno.test("both Ed25519 backends return the expected result for all edge cases", async () => {
  const vectors = await createEdgeVectors();
  const wrong: string[] = [];
  for (const { name, publicKey, data, signature, holds } of vectors) {
    for (const backend of BACKENDS) {
      const key = await backend.openPublicKey(publicKey);
      if (await key.verify(signature, data) !== holds) wrong.push(`${backend.name}: ${name}`);
    }
  }
  assertEquals(wrong, []);
  assert(vectors.length >= 300);
  const mixed = vectors.filter(({ name }) => name.startsWith("mixed order A"));
  assert(mixed.some(({ holds }) => holds) && mixed.some(({ holds }) => !holds));
});

Deno.test("each Ed25519 backend verifies the signatures that the other backend creates", async () => {
  for (const [signer, verifier] of [[WEB_CRYPTO, NOBLE], [NOBLE, WEB_CRYPTO]] as const) {
    await fc.assert(
      fc.asyncProperty(bytesOf(32, 32), bytesOf(0, 200), async (seed, data) => {
        const key = await signer.openPrivateKey(seed);
        const signature = await key.sign(data);
        const opened = await verifier.openPublicKey(key.publicKey);
        assert(await opened.verify(signature, data));
      }),
      propertyRuns(20),
    );
  }
});

function bytesOf(minLength: number, maxLength: number): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc.uint8Array({ minLength, maxLength }).map((bytes) => new Uint8Array(bytes));
}

Deno.test("the noble backend's verify() does not call the iterator of the data", async () => {
  const key = await NOBLE.openPrivateKey(new Uint8Array(32));
  const data = new Uint8Array(100_000).fill(1);
  const signature = await key.sign(data);
  const opened = await NOBLE.openPublicKey(key.publicKey);
  Object.defineProperty(data, Symbol.iterator, { value: () => assert(false) });
  assert(await opened.verify(signature, data));
});

Deno.test("detectBackend() prefers WebCrypto", async () => {
  assertEquals((await detectBackend()).name, "webcrypto");
});
