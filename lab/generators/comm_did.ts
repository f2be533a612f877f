/**
 * Cases for did:key: DIDs that encode a valid Ed25519 key, and DIDs that must be rejected.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { JsonObject } from "../../conformance/kit/json.ts";
import type { GeneratedArea } from "./generated_area.ts";
import { type Agent, ALICE, BOB, CAROL, toBase58, toBase64url, toMultibase } from "./keys.ts";

const AREA = "comm/did-key";
const REF = "https://w3c-ccg.github.io/did-key-spec/#signature-method-creation-algorithm";
const SYNTAX = "https://w3c-ccg.github.io/did-key-spec/#did-key-identifier-syntax";

function makeCase(slug: string, rest: JsonObject): JsonObject {
  return {
    id: `${AREA}/${slug}`,
    kind: "vector",
    level: "MUST",
    basis: "spec",
    refs: [REF],
    ...rest,
  };
}

function refuse(name: string, did: string): JsonObject {
  return { name, input: { did }, expect: { error: {} } };
}

/** Creates a case that resolves DIDs. The resolved documents must equal the expected documents. */
function documentCase(
  slug: string,
  text: JsonObject,
  documents: readonly JsonObject[],
): JsonObject {
  return {
    id: `${AREA}/${slug}`,
    kind: "script",
    level: "MUST",
    basis: "spec",
    ...text,
    steps: [
      { do: "comm.resolver.new", args: { web: {} }, as: "resolver" },
      ...documents.map((document) => ({
        do: "comm.resolver.resolve",
        on: "resolver",
        args: { did: document.id ?? null },
        expect: { ok: { document: { $exact: document } } },
      })),
    ],
  };
}

const SIGNING_RELATIONSHIPS = [
  "authentication",
  "assertionMethod",
  "capabilityInvocation",
  "capabilityDelegation",
];

function documentOf(
  method: JsonObject & { readonly id: string; readonly controller: string },
  context: string,
  relationships: readonly string[],
): JsonObject {
  return {
    "@context": ["https://www.w3.org/ns/did/v1", context],
    id: method.controller,
    verificationMethod: [method],
    ...Object.fromEntries(relationships.map((name) => [name, [method.id]])),
  };
}

function keyDocument({ did }: Agent): JsonObject {
  const publicKeyMultibase = did.slice("did:key:".length);
  const id = `${did}#${publicKeyMultibase}`;
  return documentOf(
    { id, type: "Multikey", controller: did, publicKeyMultibase },
    "https://w3id.org/security/multikey/v1",
    SIGNING_RELATIONSHIPS,
  );
}

function jwkDocument(publicKeyJwk: JsonObject, relationships: readonly string[]): JsonObject {
  const did = `did:jwk:${Buffer.from(JSON.stringify(publicKeyJwk)).toString("base64url")}`;
  return documentOf(
    { id: `${did}#0`, type: "JsonWebKey2020", controller: did, publicKeyJwk },
    "https://w3id.org/security/suites/jws-2020/v1",
    relationships,
  );
}

function documents(): readonly JsonObject[] {
  const x = toBase64url(ALICE.publicKeyHex);
  const ed25519 = { kty: "OKP", crv: "Ed25519", x };
  // Examples from the did:jwk specification.
  const p256 = {
    crv: "P-256",
    kty: "EC",
    x: "acbIQiuMs3i8_uszEjJ2tpTtRM4EU3yz91PH6CdH2V0",
    y: "_KcyLj9vWMptnmKtm46GqDz8wf74I5LKgrl2GzH3nSE",
  };
  const x25519 = {
    kty: "OKP",
    crv: "X25519",
    use: "enc",
    x: "3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08",
  };
  return [
    documentCase("key-document", {
      title: "The document for a did:key has the contexts and relationships of its method",
      clauses: ["COMM-DID-22"],
      refs: ["https://w3c-ccg.github.io/did-key-spec/#document-creation-algorithm"],
      needs: { features: ["comm.did.document"] },
      why:
        "Other libraries verify proofs with the DID document, and reject a document without contexts.",
    }, [ALICE, BOB].map(keyDocument)),
    documentCase("jwk-document", {
      title: "The document for a did:jwk has the contexts and relationships of its method",
      clauses: ["COMM-DID-23"],
      refs: ["https://github.com/quartzjer/did-jwk/blob/main/spec.md"],
      needs: { features: ["comm.did.document", "comm.did.jwk"] },
      why:
        "A verifier must not use an encryption key for signatures, or a signing key for encryption.",
    }, [
      jwkDocument(ed25519, SIGNING_RELATIONSHIPS),
      jwkDocument({ ...ed25519, use: "sig" }, SIGNING_RELATIONSHIPS),
      jwkDocument(p256, [...SIGNING_RELATIONSHIPS, "keyAgreement"]),
      jwkDocument(x25519, ["keyAgreement"]),
    ]),
  ];
}

/** Creates `comm/did_key.json`. */
export function makeDids(): GeneratedArea {
  const agents = [ALICE, BOB, CAROL];
  const key = ALICE.publicKeyHex;
  return {
    area: AREA,
    source:
      "lab/generators/comm_did.ts: base58 of ed 01 and the key, by hand; keys of RFC 8032 section 7.1",
    cases: [
      makeCase("decode", {
        title: "A did:key for an Ed25519 key is decoded to that key",
        clauses: ["COMM-DID-1"],
        why:
          "did:key is the only method that every agent supports, because it needs no network access.",
        op: "comm.did.decode",
        rows: agents.map(({ did, publicKeyHex }, index) => ({
          name: `RFC 8032 TEST ${index + 1}`,
          input: { did },
          expect: { ok: { publicKeyHex } },
        })),
      }),
      makeCase("encode", {
        title: "An Ed25519 key is encoded as a did:key",
        clauses: ["COMM-DID-1"],
        why:
          "If two agents encoded one key as different DIDs, their peers would see two identities.",
        op: "comm.did.encode",
        rows: agents.map(({ did, publicKeyHex }, index) => ({
          name: `RFC 8032 TEST ${index + 1}`,
          input: { publicKeyHex },
          expect: { ok: { did } },
        })),
      }),
      makeCase("wrong-codec", {
        title: "A did:key for another key type is rejected",
        clauses: ["COMM-DID-2"],
        why:
          "If the key type were ignored, the 32 bytes of an X25519 key would be read as an Ed25519 key that no agent owns.",
        control: `${AREA}/decode`,
        op: "comm.did.decode",
        rows: [
          refuse("X25519", `did:key:${toMultibase(key, "ec01")}`),
          refuse("X448", `did:key:${toMultibase(key, "8424")}`),
          refuse("secp256k1", `did:key:${toMultibase(`02${key}`, "e701")}`),
          refuse("P-256", `did:key:${toMultibase(`02${key}`, "8024")}`),
          refuse("no codec", `did:key:z${toBase58(key)}`),
          refuse("codec in three bytes", `did:key:${toMultibase(key, "ed8100")}`),
        ],
      }),
      makeCase("wrong-length", {
        title: "A key that is not 32 bytes long is rejected",
        clauses: ["COMM-DID-2"],
        why: "A reader that truncates or pads keys would accept several DIDs for one key.",
        control: `${AREA}/decode`,
        op: "comm.did.decode",
        rows: [
          refuse("31 bytes", `did:key:${toMultibase(key.slice(0, -2))}`),
          refuse("33 bytes", `did:key:${toMultibase(`${key}00`)}`),
          refuse("no key", `did:key:${toMultibase("")}`),
        ],
      }),
      makeCase("wrong-text", {
        title: "A did:key whose part after the prefix z is not valid base58btc is rejected",
        refs: [SYNTAX],
        clauses: ["COMM-DID-2"],
        why:
          "If invalid spellings of a DID were accepted, one sender could appear to be several senders.",
        control: `${AREA}/decode`,
        op: "comm.did.decode",
        rows: [
          refuse("base64url", `did:key:u${toBase64url(`ed01${key}`)}`),
          refuse("hexadecimal", `did:key:fed01${key}`),
          refuse("no multibase prefix", `did:key:${toBase58(`ed01${key}`)}`),
          refuse("a character that is not in the base58 alphabet", `${ALICE.did.slice(0, -2)}0O`),
          refuse("a leading zero byte", ALICE.did.replace("key:z", "key:z1")),
          refuse("white space at the end", `${ALICE.did} `),
          refuse("a fragment", `${ALICE.did}#${ALICE.did.slice(8)}`),
          refuse("a path", `${ALICE.did}/x`),
          refuse("upper case", ALICE.did.replace("did:key:", "DID:KEY:")),
          refuse("nothing", "did:key:"),
          refuse("another method", ALICE.did.replace("did:key", "did:keys")),
        ],
      }),
      makeCase("far-too-long", {
        timing: { deadlineMs: 500 },
        title: "A DID of 20,000 characters is rejected quickly",
        basis: "decision",
        clauses: ["COMM-DID-3"],
        why:
          "Decoding base58 takes quadratic time, so without a length check one message can take seconds.",
        control: `${AREA}/decode`,
        op: "comm.did.decode",
        input: { did: `did:key:z6Mk${"w".repeat(20_000)}` },
        expect: { error: {} },
      }),
      ...documents(),
    ],
  };
}
