import { assert, assertEquals, assertThrows } from "@std/assert";
import { formatBase58 } from "../shared/base58.ts";
import { formatBase64url } from "../shared/base64url.ts";
import { CommError } from "../shared/error.ts";
import { selectKeys } from "./document.ts";
import { formatMultikey } from "./multikey.ts";

const DID = "did:web:ann.example";
const KEY = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
const JWK = { kty: "OKP", crv: "Ed25519", x: formatBase64url(KEY) };

const MULTIKEY = {
  id: `${DID}#1`,
  type: "Multikey",
  controller: DID,
  publicKeyMultibase: formatMultikey(KEY),
};

function select(method: unknown): unknown {
  const document = { id: DID, verificationMethod: [method], authentication: [`${DID}#1`] };
  return selectKeys(document, "authentication").map((key) => key.publicKey);
}

Deno.test("selectKeys() reads an Ed25519 key in every supported format", () => {
  const spellings = [
    MULTIKEY,
    { ...MULTIKEY, type: "Ed25519VerificationKey2020" },
    { id: "#1", type: "JsonWebKey", controller: DID, publicKeyJwk: JWK },
    { id: "#1", type: "JsonWebKey2020", controller: DID, publicKeyJwk: { ...JWK, use: "sig" } },
    {
      id: "#1",
      type: "Ed25519VerificationKey2018",
      controller: DID,
      publicKeyBase58: formatBase58(KEY),
    },
    { ...MULTIKEY, publicKeyJwk: JWK },
  ];
  for (const method of spellings) assertEquals(select(method), [KEY]);
});

Deno.test("selectKeys() ignores an invalid or untrusted verification method", () => {
  const untrusted = [
    { ...MULTIKEY, controller: "did:web:eve.example" },
    { ...MULTIKEY, controller: undefined },
    { ...MULTIKEY, publicKeyJwk: { ...JWK, x: formatBase64url(OTHER) } },
    { ...MULTIKEY, publicKeyMultibase: undefined, publicKeyJwk: JWK },
    { ...MULTIKEY, secretKeyMultibase: "z" },
    { ...MULTIKEY, publicKeyMultibase: `u${formatBase64url(KEY)}` },
    { id: "#1", type: "JsonWebKey", controller: DID, publicKeyJwk: { ...JWK, d: "x" } },
    { id: "#1", type: "JsonWebKey", controller: DID, publicKeyJwk: { ...JWK, crv: "X25519" } },
    { id: "#1", type: "JsonWebKey", controller: DID, publicKeyJwk: { ...JWK, use: "enc" } },
    { id: "#1", type: "JsonWebKey", controller: DID, publicKeyJwk: { ...JWK, x: `${JWK.x}=` } },
    { id: "#1", type: "Ed25519VerificationKey2018", controller: DID, publicKeyBase58: "1" },
    { ...MULTIKEY, id: [MULTIKEY.id] },
  ];
  for (const method of untrusted) {
    assertEquals(assertThrows(() => select(method), CommError).code, "key_not_found");
  }
});

Deno.test("selectKeys() rejects a verification method whose type is an array", () => {
  const error = assertThrows(() => select({ ...MULTIKEY, type: ["Multikey"] }), CommError);
  assertEquals(error.code, "key_unsupported");
});

Deno.test("selectKeys() reports the key types if it supports none of them", () => {
  const type = "EcdsaSecp256k1VerificationKey2019";
  const error = assertThrows(() => select({ ...MULTIKEY, type }), CommError);
  assert(error.is("key_unsupported"));
  assertEquals(error.details.types, [type]);
});

Deno.test("selectKeys() accepts embedded verification methods and returns keys in document order", () => {
  const document = {
    id: DID,
    verificationMethod: [MULTIKEY],
    authentication: [
      { ...MULTIKEY, id: "#2", publicKeyMultibase: formatMultikey(OTHER) },
      "#1",
      "#missing",
    ],
  };
  const keys = selectKeys(document, "authentication");
  assertEquals(keys.map((key) => key.keyId), [`${DID}#2`, `${DID}#1`]);
});

Deno.test("selectKeys() selects keys by verification relationship", () => {
  const document = {
    id: DID,
    verificationMethod: [MULTIKEY],
    assertionMethod: ["#1"],
    keyAgreement: ["#1"],
  };
  assertEquals(selectKeys(document, "assertionMethod").length, 1);
  const error = assertThrows(() => selectKeys(document, "authentication"), CommError);
  assertEquals(error.code, "key_not_found");
});

Deno.test("selectKeys() rejects verification methods of other DIDs and duplicate ids", () => {
  const foreign = { ...MULTIKEY, id: "did:web:eve.example#1" };
  const document = { id: DID, verificationMethod: [foreign], authentication: [foreign.id] };
  assertThrows(() => selectKeys(document, "authentication"), CommError);
  const twice = { id: DID, verificationMethod: [MULTIKEY, MULTIKEY], authentication: ["#1"] };
  assertThrows(() => selectKeys(twice, "authentication"), CommError, "the same id");
});

Deno.test("selectKeys() limits the number of verification methods and keys", () => {
  const methods = (count: number): unknown[] =>
    Array.from({ length: count }, (_, index) => ({ ...MULTIKEY, id: `#${index}` }));
  const document = (count: number) => ({
    id: DID,
    verificationMethod: methods(count),
    authentication: Array.from({ length: count }, (_, index) => `#${index}`),
  });
  assertEquals(selectKeys(document(16), "authentication").length, 8);
  assertThrows(() => selectKeys(document(17), "authentication"), CommError, "more than 16");
});

Deno.test("selectKeys() throws a CommError for a malformed document", () => {
  for (const part of [null, "x", 5, {}, [null], [[]], [5]]) {
    const document = { id: DID, verificationMethod: part, authentication: part };
    assertThrows(() => selectKeys(document, "authentication"), CommError);
  }
});

const NOW = Date.parse("2026-01-02T03:04:05Z");

function selectAt(members: object, now = () => NOW): string {
  const document = {
    id: DID,
    verificationMethod: [{ ...MULTIKEY, ...members }],
    authentication: ["#1"],
  };
  try {
    return `${selectKeys(document, "authentication", { now }).length} key`;
  } catch (error) {
    if (!(error instanceof CommError)) throw error;
    return error.code;
  }
}

Deno.test("selectKeys() ignores a key from the time at which it is revoked or expires", () => {
  for (const [member, code] of [["revoked", "key_revoked"], ["expires", "key_expired"]] as const) {
    assertEquals(selectAt({ [member]: "2026-01-02T03:04:05.001Z" }), "1 key");
    assertEquals(selectAt({ [member]: "2026-01-02T03:04:05Z" }), code);
    assertEquals(selectAt({ [member]: "2026-01-02T05:04:05+02:00" }), code);
  }
});

Deno.test("selectKeys() throws if its clock is invalid", () => {
  // The types do not permit some times, but clocks in JavaScript can return them.
  for (const time of [NaN, null, undefined, Infinity, -Infinity, "0"]) {
    for (const members of [{}, { revoked: "2026-01-02T03:04:05.001Z" }]) {
      assertThrows(() => selectAt(members, () => time as number), TypeError, '"now()"');
    }
  }
});

Deno.test("selectKeys() ignores a key whose revocation or expiration time is unreadable", () => {
  for (const value of ["", "2030-01-01", "tomorrow", 4e12, null, true, ["2030-01-01T00:00:00Z"]]) {
    assertEquals(selectAt({ revoked: value }), "key_revoked");
    assertEquals(selectAt({ expires: value }), "key_expired");
  }
});

Deno.test("selectKeys() reports whichever of revocation and expiration is earlier", () => {
  const [early, late] = ["2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"];
  assertEquals(selectAt({ revoked: early, expires: late }), "key_revoked");
  assertEquals(selectAt({ revoked: late, expires: early }), "key_expired");
  assertEquals(selectAt({ revoked: "2027-01-01T00:00:00Z", expires: early }), "key_expired");
});

Deno.test("selectKeys() returns the remaining keys if others are revoked", () => {
  const revoked = "2024-01-01T00:00:00Z";
  const document = {
    id: DID,
    verificationMethod: Array.from({ length: 10 }, (_, index) => ({
      ...MULTIKEY,
      id: `#${index}`,
      ...(index < 9 ? { revoked } : {}),
    })),
    authentication: Array.from({ length: 10 }, (_, index) => `#${index}`),
  };
  const keys = selectKeys(document, "authentication");
  assertEquals(keys.map((key) => key.keyId), [`${DID}#9`]);
});

Deno.test("selectKeys() rejects more than 16 embedded verification methods or references", () => {
  const embedded = (count: number): unknown[] =>
    Array.from({ length: count }, (_, index) => ({ ...MULTIKEY, id: `#${index}` }));
  const select = (members: object): string => {
    try {
      return `${selectKeys({ id: DID, ...members }, "authentication").length} keys`;
    } catch (error) {
      assert(error instanceof CommError);
      return error.message;
    }
  };
  assertEquals(select({ authentication: embedded(16) }), "8 keys");
  const tooMany =
    `Cannot find key for DID "${DID}": document has more than 16 verification methods`;
  assertEquals(select({ authentication: embedded(17) }), tooMany);
  const listed = embedded(16).slice(8);
  assertEquals(
    select({ verificationMethod: listed, authentication: embedded(8) }),
    "8 keys",
  );
  assertEquals(
    select({ verificationMethod: listed, authentication: embedded(8).concat(MULTIKEY) }),
    tooMany,
  );
  const references = Array.from({ length: 17 }, () => "#1");
  assertEquals(select({ verificationMethod: [MULTIKEY], authentication: references }), tooMany);
});

Deno.test("selectKeys() rejects an embedded verification method with the id of another verification method", () => {
  const other = { ...MULTIKEY, publicKeyMultibase: formatMultikey(OTHER) };
  for (
    const document of [
      { id: DID, verificationMethod: [MULTIKEY], authentication: [other] },
      { id: DID, authentication: [MULTIKEY, { ...other, id: "#1" }] },
    ]
  ) {
    assertThrows(() => selectKeys(document, "authentication"), CommError, "the same id");
  }
});

Deno.test("selectKeys() rejects members of a document that are not verification relationships", () => {
  const document = { id: DID, verificationMethod: [MULTIKEY], keyAgreement: [MULTIKEY.id] };
  for (const name of ["verificationMethod", "keyAgreement", "authentification", undefined]) {
    const select = () => Reflect.apply(selectKeys, undefined, [document, name]);
    assertThrows(select, TypeError, '"relationship" must be "authentication" or');
  }
});
