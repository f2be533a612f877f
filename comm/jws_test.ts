import { assert, assertEquals, assertRejects } from "@std/assert";
import * as fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { didKeyResolver } from "./did/key.ts";
import type { Resolvable } from "./did/resolver.ts";
import { signJson, verifyJson, type VerifyJsonOptions } from "./jws.ts";
import { CommError } from "./shared/error.ts";
import type { JsonObject } from "./shared/json.ts";
import { detectBackend, WEB_CRYPTO } from "./signing/ed25519.ts";
import { NOBLE } from "./signing/ed25519_noble.ts";
import type { Signer } from "./signing/signer.ts";
import { createSigner } from "./signing/signing.ts";
import { formatSorted } from "./testdata/format_sorted.ts";

const ANN = await createSigner({ seed: new Uint8Array(32).fill(1) });
const BOB = await createSigner({ seed: new Uint8Array(32).fill(2) });
const CARD = { name: "Zürich", version: "1.0.0", skills: [{ id: "s", tags: ["b", "a"] }] };
const SIGNATURE = await signJson(CARD, ANN);

/**
 * Signatures by the key of {@linkcode ANN} for {@linkcode VALUE}, created with the package
 * `cryptography` of Python. The canonical form was written by hand:
 * `{"a":[1e+30,0.002,-5],"b":{"":"€","ö":null},"z":true}`.
 */
const BY_PYTHON = [
  {
    protected:
      "eyJhbGciOiJFZERTQSIsImtpZCI6ImRpZDprZXk6ejZNa29uM05lY2Q2TmtreWZvR29IeGlkMnpuR2M1OUxVM0s3bXViYVJjRmJMZkxYI3o2TWtvbjNOZWNkNk5ra3lmb0dvSHhpZDJ6bkdjNTlMVTNLN211YmFSY0ZiTGZMWCIsInR5cCI6IkpPU0UifQ",
    signature:
      "4e8AQFPSqw_ml5jBtymyA-tpokZ4Bygk4j-q-asfCjYRveoYHILOY2_ckv9MYSYQKjsG4Afw-o9_HEfjgzHXDQ",
  },
  {
    protected:
      "eyJhbGciOiJFZDI1NTE5Iiwia2lkIjoiZGlkOmtleTp6Nk1rb24zTmVjZDZOa2t5Zm9Hb0h4aWQyem5HYzU5TFUzSzdtdWJhUmNGYkxmTFgjejZNa29uM05lY2Q2TmtreWZvR29IeGlkMnpuR2M1OUxVM0s3bXViYVJjRmJMZkxYIn0",
    signature:
      "ejweFNBFtj4hvKU3M1XAN13gGa6xsL2VAZjaU_GqTVrTOIdhEnkg6C-n26FQYOHa2nAjJd-NroPM4sHrW8YODQ",
  },
];
const VALUE = { z: true, b: { "ö": null, "": "€" }, a: [1e30, 0.002, -5] };

async function reasonOf(
  value: object,
  jws: unknown,
  options?: VerifyJsonOptions,
): Promise<string> {
  const result = await verifyJson(value, jws, options);
  return result.ok ? "ok" : result.reason;
}

Deno.test("verifyJson() returns the DID and the id of the key", async () => {
  assertEquals(await verifyJson(CARD, SIGNATURE), { ok: true, did: ANN.did, keyId: ANN.keyId });
});

Deno.test("signatures are those that another implementation creates", async () => {
  assertEquals(await signJson(VALUE, ANN), BY_PYTHON[0]);
  for (const signature of BY_PYTHON) assertEquals(await reasonOf(VALUE, signature), "ok");
});

Deno.test("verifyJson() returns the error with the reason", async () => {
  const result = await verifyJson({}, SIGNATURE);
  assert(!result.ok);
  assertEquals(result.error.code, result.reason);
  assertEquals(
    result.error.message,
    `Cannot verify JSON: signature does not match the key of "${ANN.did}"`,
  );
});

Deno.test("verifyJson() accepts the order of members and whitespace that a proxy writes", async () => {
  const { skills, ...rest } = CARD;
  assertEquals(await reasonOf({ skills, ...rest }, SIGNATURE), "ok");
});

/** A JSON value. */
const JSON_VALUE = fc.jsonValue({ noUnicodeString: false, depthSize: "small" });

Deno.test("verifyJson() accepts what signJson() has signed, and no other object", async () => {
  const objects = fc.dictionary(fc.string({ unit: "grapheme" }), JSON_VALUE);
  await fc.assert(
    fc.asyncProperty(objects, objects, async (first, second) => {
      const value = JSON.parse(JSON.stringify(first));
      const signature = await signJson(value, ANN);
      assertEquals(await reasonOf(value, JSON.parse(JSON.stringify(signature))), "ok");
      const other = JSON.parse(JSON.stringify(second));
      const isEqual = formatSorted(other) === formatSorted(value);
      assertEquals(await reasonOf(other, signature), isEqual ? "ok" : "signature_invalid");
    }),
    propertyRuns(100),
  );
});

Deno.test("verifyJson() rejects a change of any text or of any member", async () => {
  const value = { a: { b: [1, "x", { c: null }] }, d: true };
  const signature = await signJson(value, ANN);
  const text = JSON.stringify(value);
  for (
    const [from, to] of Object.entries({ a: "e", "1": "2", x: "y", c: "a", null: "0", true: "1" })
  ) {
    const changed = JSON.parse(text.replace(from, to));
    assertEquals(await reasonOf(changed, signature), "signature_invalid", from);
  }
});

Deno.test("verifyJson() rejects a change of any bit of the header and of the signature", async () => {
  for (const name of ["protected", "signature"] as const) {
    const encoded = SIGNATURE[name];
    const reasons = new Set<string>();
    for (let index = 0; index < encoded.length; index++) {
      for (let bit = 0; bit < 7; bit++) {
        const code = encoded.charCodeAt(index) ^ (1 << bit);
        const changed = encoded.slice(0, index) + String.fromCharCode(code) +
          encoded.slice(index + 1);
        const reason = await reasonOf(CARD, { ...SIGNATURE, [name]: changed });
        assert(reason !== "ok", `${name}: bit ${bit} of character ${index}`);
        reasons.add(reason);
      }
    }
    assert(reasons.has("signature_invalid") && reasons.has("signature_malformed"));
  }
});

Deno.test("verifyJson() rejects a value that has no canonical form", async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(200)}0${"}".repeat(200)}`);
  assertEquals(await reasonOf({ a: "\ud800" }, SIGNATURE), "invalid_unicode");
  assertEquals(await reasonOf(deep, SIGNATURE), "too_deep");
  assertEquals(await reasonOf({ a: undefined }, SIGNATURE), "serialization_failed");
  assertEquals(await reasonOf(new Date(0), SIGNATURE), "serialization_failed");
});

Deno.test("excluded members do not make a class instance a JSON object", async () => {
  class Card {
    name = "Zürich";
  }
  const signature = await signJson({ name: "Zürich" }, ANN);
  assertEquals(
    await reasonOf(new Card(), signature, { exclude: ["signatures"] }),
    "serialization_failed",
  );
  const error = await assertRejects(
    () => signJson(new Card(), ANN, { exclude: ["signatures"] }),
    CommError,
  );
  assertEquals(error.code, "serialization_failed");
});

Deno.test("a member named __proto__ is signed, and can be excluded", async () => {
  const value: JsonObject = JSON.parse('{"__proto__":{"a":1},"b":2}');
  const signature = await signJson(value, ANN);
  assertEquals(await reasonOf({ b: 2 }, signature), "signature_invalid");
  assertEquals(await reasonOf(value, signature), "ok");
  assertEquals(
    await signJson(value, ANN, { exclude: ["__proto__"] }),
    await signJson({ b: 2 }, ANN),
  );
});

Deno.test("verifyJson() verifies the value that it was called with", async () => {
  const value = { price: 5 };
  const signature = await signJson({ price: 500 }, ANN);
  const verifying = verifyJson(value, signature, {
    resolver: {
      resolve(did, options) {
        value.price = 500;
        return didKeyResolver.resolve(did, options);
      },
    },
  });
  assert(!(await verifying).ok);
});

Deno.test("verifyJson() does not resolve the DID of an unexpected signer", async () => {
  const asked: string[] = [];
  const resolver: Resolvable = {
    resolve(did, options) {
      asked.push(did);
      return didKeyResolver.resolve(did, options);
    },
  };
  const other = await signJson(CARD, BOB);
  assertEquals(await reasonOf(CARD, other, { resolver, signer: ANN.did }), "signer_mismatch");
  assertEquals(await reasonOf({ a: undefined }, SIGNATURE, { resolver }), "serialization_failed");
  assertEquals(asked, []);
  assertEquals(await reasonOf(CARD, SIGNATURE, { resolver, signer: ANN.did }), "ok");
  assertEquals(asked, [ANN.did]);
});

Deno.test("verifyJson() reports why a DID cannot be resolved", async () => {
  const kid = "did:web:ann.example#key-1";
  const signer: Signer = { did: "did:web:ann.example", keyId: kid, sign: ANN.sign };
  const signature = await signJson(CARD, signer);
  assertEquals(await reasonOf(CARD, signature), "did_method_unsupported");
  const resolver: Resolvable = { resolve: () => Promise.reject(new Error("offline")) };
  assertEquals(await reasonOf(CARD, signature, { resolver }), "did_resolution_failed");
});

Deno.test("signJson() and verifyJson() reject with the reason of an aborted signal", async () => {
  const signal = AbortSignal.abort("stop");
  assertEquals(await signJson(CARD, ANN, { signal }).catch((reason) => reason), "stop");
  assertEquals(await verifyJson(CARD, SIGNATURE, { signal }).catch((reason) => reason), "stop");
});

Deno.test("verifyJson() stops waiting for the resolver when the signal aborts", async () => {
  const controller = new AbortController();
  const reason = new CommError({
    code: "key_not_found",
    details: { did: ANN.did, reason: "of the caller" },
    message: "stop",
  });
  const resolver: Resolvable = {
    resolve: () => {
      controller.abort(reason);
      return new Promise(() => {});
    },
  };
  const options = { resolver, signal: controller.signal };
  assertEquals(await verifyJson(CARD, SIGNATURE, options).catch((error) => error), reason);
});

Deno.test("signJson() stops waiting for a signer when the signal aborts or time is up", async () => {
  const controller = new AbortController();
  const signer: Signer = {
    did: ANN.did,
    keyId: ANN.keyId,
    sign: () => {
      controller.abort("stop");
      return new Promise(() => {});
    },
  };
  const { signal } = controller;
  assertEquals(await signJson(CARD, signer, { signal }).catch((reason) => reason), "stop");
  const error = await assertRejects(() => signJson(CARD, signer, { timeoutMs: 1 }), CommError);
  assertEquals(error.code, "timeout");
});

Deno.test("signJson() rejects a signer whose key or signature is not valid", async () => {
  const { did, keyId } = ANN;
  const sign = () => Promise.resolve(new Uint8Array(63));
  await assertRejects(() => signJson(CARD, { did, keyId, sign }), TypeError, "64 bytes");
  for (const wrong of ["key-1", did, `${did}#`, BOB.keyId, `${did}#a b`]) {
    const error = await assertRejects(
      () => signJson(CARD, { did, keyId: wrong, sign: ANN.sign }),
      CommError,
    );
    assertEquals([error.code, error.message], [
      "invalid_argument",
      '"signer.keyId" must be a DID URL of its DID',
    ]);
  }
});

Deno.test("signJson() and verifyJson() reject arguments of the wrong type", async () => {
  for (const value of [null, [], "x", 1] as unknown[]) {
    const wrong = value as JsonObject;
    await assertRejects(() => signJson(wrong, ANN), TypeError, '"value" must be an object');
    await assertRejects(() => verifyJson(wrong, SIGNATURE), TypeError, '"value" must be an object');
  }
  await assertRejects(
    () => verifyJson(CARD, SIGNATURE, { signer: "ann" }),
    TypeError,
    '"signer" must be a DID, got "ann"',
  );
  await assertRejects(
    () => verifyJson(CARD, SIGNATURE, { exclude: "signatures" as unknown as string[] }),
    TypeError,
    '"exclude" must be an array of strings',
  );
  await assertRejects(() => verifyJson(CARD, SIGNATURE, { now: () => NaN }), TypeError);
});

Deno.test("signJson() and verifyJson() check their signer and their options", async () => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [null, '"options" must be an object, got null'],
    [{ exclude: [1] }, '"exclude[0]" must be a string, got 1'],
    [{ timeoutMs: 0 }, '"timeoutMs" must be a positive number, got 0'],
    [{ signal: {} }, '"signal" must be an AbortSignal'],
    [{ abortSignal: undefined, signal: "x" }, '"signal" must be an AbortSignal, got "x"'],
  ];
  for (const [options, message] of wrong) {
    const given = options as VerifyJsonOptions;
    await assertRejects(() => signJson(CARD, ANN, given), Error, message);
    await assertRejects(() => verifyJson(CARD, SIGNATURE, given), Error, message);
  }
  const alias = { abortSignal: AbortSignal.abort() } as VerifyJsonOptions;
  await assertRejects(() => signJson(CARD, ANN, alias), TypeError, '"signal"');
  await assertRejects(() => verifyJson(CARD, SIGNATURE, alias), TypeError, '"signal"');
  for (const signer of [undefined, {}, { did: "ann", keyId: "ann#1", sign: ANN.sign }]) {
    await assertRejects(() => signJson(CARD, signer as Signer), TypeError, '"signer');
  }
});

Deno.test("each backend verifies signatures of JSON objects strictly", async () => {
  const input = new TextEncoder().encode(`${SIGNATURE.protected}.${toBase64url(CARD_TEXT)}`);
  const signature = Uint8Array.from(atob(toBase64(SIGNATURE.signature)), (c) => c.charCodeAt(0));
  for (const backend of [await detectBackend(), WEB_CRYPTO, NOBLE]) {
    const key = await backend.openPublicKey(ANN.publicKey);
    assert(await key.verify(signature, input), backend.name);
    // A key of small order, for which other verifiers accept signatures of any data.
    const small = await backend.openPublicKey(new Uint8Array(32).fill(0, 1).fill(1, 0, 1));
    const zeros = new Uint8Array(64).fill(1, 0, 1);
    assertEquals(await small.verify(zeros, input), false, backend.name);
  }
});

/** The canonical form of {@linkcode CARD}. */
const CARD_TEXT = '{"name":"Zürich","skills":[{"id":"s","tags":["b","a"]}],"version":"1.0.0"}';

function toBase64url(text: string): string {
  const binary = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function toBase64(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}
