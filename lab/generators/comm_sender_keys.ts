/**
 * Cases for senders whose keys come from a DID document or use a DID method other than did:key.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { JsonObject } from "../../conformance/kit/json.ts";
import { createCase, LINKED, sign, toWire } from "./comm_messages.ts";
import { type Agent, ALICE, BOB, CAROL, toBase58, toBase64url, toMultibase } from "./keys.ts";
import { AREA, refuse, SIGNED, type Text, toRow } from "./verification_case.ts";

/** A DID whose keys are published only in its document. */
const DOC_DID = "did:example:alice";
const DID_CORE = "https://www.w3.org/TR/did-core/#verification-methods";

const OTHER_METHOD = { id: `${DOC_DID}#other`, type: "Multikey", controller: DOC_DID };

function createDocument(method: JsonObject, rest: JsonObject = {}): JsonObject {
  const full = { id: `${DOC_DID}#key`, controller: DOC_DID, ...method };
  return {
    "@context": ["https://www.w3.org/ns/did/v1"],
    id: DOC_DID,
    verificationMethod: [full],
    authentication: [full.id],
    ...rest,
  };
}

const MULTIKEY = { type: "Multikey", publicKeyMultibase: toMultibase(ALICE.publicKeyHex) };
const JWK = { kty: "OKP", crv: "Ed25519", x: toBase64url(ALICE.publicKeyHex) };
const BY_DOCUMENT = toWire(sign({ ...LINKED, sender: DOC_DID }));

function documentCase(
  text: Text,
  documents: readonly (readonly [string, JsonObject])[],
  valid: boolean,
): JsonObject {
  return createCase(AREA, {
    refs: [DID_CORE],
    ...text,
    ...(valid ? {} : { control: `${AREA}/document-key-types` }),
    op: "comm.message.verify",
    rows: documents.map(([name, document]) =>
      toRow([name, BY_DOCUMENT], valid, { [DOC_DID]: document })
    ),
  });
}

/**
 * Creates a DID document in which other keys precede (`before`) and follow (`after`) the signer's
 * key.
 */
function createKeyRing(before: number, after: number): JsonObject {
  const keys = Array.from({ length: before + after + 1 }, (_, index) => ({
    id: `${DOC_DID}#key-${index}`,
    type: "Multikey",
    controller: DOC_DID,
    publicKeyMultibase: toMultibase(
      index === before
        ? ALICE.publicKeyHex
        : index % 2 === 0
        ? BOB.publicKeyHex
        : CAROL.publicKeyHex,
    ),
  }));
  return {
    id: DOC_DID,
    verificationMethod: keys,
    authentication: keys.map(({ id }) => id),
  };
}

/**
 * Creates a document that embeds verification methods under `authentication`, and lists others
 * under `verificationMethod`.
 */
function createEmbedding(embedded: readonly JsonObject[], listed = 0): JsonObject {
  const complete = (method: JsonObject, name: string): JsonObject => ({
    id: `${DOC_DID}#${name}`,
    controller: DOC_DID,
    ...method,
  });
  return {
    id: DOC_DID,
    verificationMethod: Array.from(
      { length: listed },
      (_, index) => complete(MULTIKEY, `listed-${index}`),
    ),
    authentication: embedded.map((method, index) => complete(method, `embedded-${index}`)),
  };
}

/** Two timestamps: one in the past, and one in the distant future. */
const PAST = "2020-01-01T00:00:00Z";
const FUTURE = "9999-12-31T23:59:59Z";

/** Cases for key lookup in documents, and for invalid documents. */
export function documentCases(): readonly JsonObject[] {
  const key = ALICE.publicKeyHex;
  return [
    documentCase(
      {
        slug: "document-key-types",
        title: "A key in a DID document is found in each of the five published forms",
        basis: "decision",
        clauses: ["COMM-DID-11", "COMM-SIG-10"],
        why: "Resolvers return keys in different forms for the same DID.",
      },
      [
        ["Multikey", createDocument(MULTIKEY)],
        [
          "Ed25519VerificationKey2020",
          createDocument({ ...MULTIKEY, type: "Ed25519VerificationKey2020" }),
        ],
        [
          "Ed25519VerificationKey2018",
          createDocument({ type: "Ed25519VerificationKey2018", publicKeyBase58: toBase58(key) }),
        ],
        ["JsonWebKey2020", createDocument({ type: "JsonWebKey2020", publicKeyJwk: JWK })],
        [
          "JsonWebKey",
          createDocument({ type: "JsonWebKey", publicKeyJwk: { ...JWK, kid: "x", use: "sig" } }),
        ],
      ],
      true,
    ),
    documentCase(
      {
        slug: "document-authentication",
        title: "A key is used whether authentication references it or embeds it",
        basis: "decision",
        clauses: ["COMM-DID-13"],
        why: "Published documents both reference and embed keys.",
      },
      [
        ["absolute reference", createDocument(MULTIKEY)],
        ["relative reference", createDocument(MULTIKEY, { authentication: ["#key"] })],
        [
          "embedded",
          createDocument(MULTIKEY, {
            verificationMethod: [],
            authentication: [{ id: `${DOC_DID}#key`, controller: DOC_DID, ...MULTIKEY }],
          }),
        ],
      ],
      true,
    ),
    documentCase(
      {
        slug: "document-several-keys",
        title: "A signature by any of several keys in a DID document passes verification",
        basis: "decision",
        clauses: ["COMM-DID-14"],
        why: "During a key rotation, two keys are valid.",
      },
      [
        ["second of two", createKeyRing(1, 0)],
        ["first of three", createKeyRing(0, 2)],
        ["eighth of eight", createKeyRing(7, 0)],
        ["first of sixteen", createKeyRing(0, 15)],
      ],
      true,
    ),
    documentCase(
      {
        slug: "document-other-purpose",
        title: "A key that is not listed under authentication is not used",
        basis: "decision",
        clauses: ["COMM-DID-13"],
        why:
          "A key for another purpose, such as key agreement, may be stored less securely than a signing key.",
      },
      ["keyAgreement", "assertionMethod", "capabilityInvocation"].map((purpose) => [
        purpose,
        createDocument(MULTIKEY, { authentication: [], [purpose]: [`${DOC_DID}#key`] }),
      ]),
      false,
    ),
    documentCase(
      {
        slug: "document-foreign-controller",
        title: "A key whose controller is another DID is not used",
        basis: "decision",
        clauses: ["COMM-DID-12"],
        why: "If the controller were ignored, the owner of another DID could sign for the sender.",
      },
      [
        ["controller", createDocument({ ...MULTIKEY, controller: BOB.did })],
        ["id of another DID", createDocument({ ...MULTIKEY, id: `${BOB.did}#key` })],
      ],
      false,
    ),
    documentCase(
      {
        slug: "document-disagreeing-encodings",
        title: "A verification method with two different encodings of the key is not used",
        clauses: ["COMM-DID-12"],
        why: "Implementations differ in which of two encodings of a key they read.",
      },
      [[
        "multibase and JWK",
        createDocument({
          ...MULTIKEY,
          publicKeyJwk: { ...JWK, x: toBase64url(BOB.publicKeyHex) },
        }),
      ]],
      false,
    ),
    documentOfAnotherDidCase(),
    documentCase(
      {
        slug: "document-private-key",
        title: "A JSON Web Key that contains a private key is rejected",
        basis: "decision",
        clauses: ["COMM-DID-5"],
        why: "Anyone who can read a private key in a DID document could sign with it.",
      },
      [[
        "d",
        createDocument({
          type: "JsonWebKey2020",
          publicKeyJwk: { ...JWK, d: toBase64url(ALICE.seedHex) },
        }),
      ]],
      false,
    ),
    documentCase(
      {
        slug: "document-key-for-encryption",
        title: "A JSON Web Key that is declared for a use other than signatures is ignored",
        basis: "decision",
        clauses: ["COMM-DID-19"],
        why:
          "The use member of a JSON Web Key declares the purpose for which its owner has created it.",
      },
      [[
        "enc",
        createDocument({ type: "JsonWebKey2020", publicKeyJwk: { ...JWK, use: "enc" } }),
      ]],
      false,
    ),
    documentCase(
      {
        slug: "document-with-one-id-twice",
        title: "A DID document that contains two verification methods with the same id is rejected",
        basis: "decision",
        clauses: ["COMM-DID-20"],
        why: "If ids were not unique, two readers could use different keys for the sender.",
      },
      [false, true].map((isReversed) => {
        const key = `${DOC_DID}#key`;
        const methods = [BOB, ALICE].map(({ publicKeyHex }) => ({
          ...OTHER_METHOD,
          id: key,
          publicKeyMultibase: toMultibase(publicKeyHex),
        }));
        return [
          isReversed ? "the signer's first" : "the signer's last",
          createDocument(MULTIKEY, {
            verificationMethod: isReversed ? methods.reverse() : methods,
          }),
        ];
      }),
      false,
    ),
    documentCase(
      {
        slug: "document-key-still-valid",
        title: "A key whose revocation or expiration is in the future is used",
        clauses: ["COMM-DID-21"],
        why: "An owner announces the end of a key in advance, so that peers can keep using it.",
      },
      [
        ["revoked", createDocument({ ...MULTIKEY, revoked: FUTURE })],
        ["expires", createDocument({ ...MULTIKEY, expires: FUTURE })],
        ["both", createDocument({ ...MULTIKEY, revoked: FUTURE, expires: FUTURE })],
      ],
      true,
    ),
    documentCase(
      {
        slug: "document-revoked-key",
        title: "A revoked key is not used",
        clauses: ["COMM-DID-21"],
        why: "The owner of the DID has declared that others may know the private key.",
      },
      [
        ["past", createDocument({ ...MULTIKEY, revoked: PAST })],
        [
          "revoked before it expires",
          createDocument({ ...MULTIKEY, revoked: PAST, expires: FUTURE }),
        ],
        ["embedded", createEmbedding([{ ...MULTIKEY, revoked: PAST }])],
        ["not a timestamp", createDocument({ ...MULTIKEY, revoked: "yesterday" })],
        ["true", createDocument({ ...MULTIKEY, revoked: true })],
      ],
      false,
    ),
    documentCase(
      {
        slug: "document-expired-key",
        title: "An expired key is not used",
        clauses: ["COMM-DID-21"],
        why: "The owner of the DID has limited the time in which the key may be used.",
      },
      [
        ["past", createDocument({ ...MULTIKEY, expires: PAST })],
        [
          "expired before it is revoked",
          createDocument({ ...MULTIKEY, expires: PAST, revoked: FUTURE }),
        ],
        ["not a timestamp", createDocument({ ...MULTIKEY, expires: "2099" })],
        ["a number", createDocument({ ...MULTIKEY, expires: 4_000_000_000_000 })],
      ],
      false,
    ),
    documentCase(
      {
        slug: "document-embedded-methods",
        title: "Sixteen verification methods embedded under authentication are read",
        basis: "decision",
        clauses: ["COMM-DID-17"],
        why: "Control case for documents with too many embedded verification methods.",
      },
      [["16", createEmbedding(Array.from({ length: 16 }, () => MULTIKEY))]],
      true,
    ),
    createCase(AREA, {
      slug: "document-with-too-many-embedded-methods",
      title: "A document with more than 16 entries under authentication is rejected",
      basis: "decision",
      clauses: ["COMM-DID-17"],
      refs: [DID_CORE],
      control: `${AREA}/document-embedded-methods`,
      why: "A limit on verification methods would be useless if embedded ones did not count.",
      op: "comm.message.verify",
      rows: [
        ["17 embedded", createEmbedding(Array.from({ length: 17 }, () => MULTIKEY))] as const,
        [
          "8 listed and 9 embedded",
          createEmbedding(Array.from({ length: 9 }, () => MULTIKEY), 8),
        ] as const,
        [
          "17 references",
          createDocument(MULTIKEY, {
            authentication: Array.from({ length: 17 }, () => `${DOC_DID}#key`),
          }),
        ] as const,
      ].map(([name, document]) => toRow([name, BY_DOCUMENT], false, { [DOC_DID]: document })),
    }),
    documentCase(
      {
        slug: "document-with-an-embedded-id-twice",
        title:
          "A document is rejected if an embedded verification method has the id of a listed one",
        basis: "decision",
        clauses: ["COMM-DID-20"],
        why: "Two readers could use different keys for the sender.",
      },
      [[
        "another key",
        createDocument({ ...MULTIKEY, publicKeyMultibase: toMultibase(BOB.publicKeyHex) }, {
          authentication: [{ id: `${DOC_DID}#key`, controller: DOC_DID, ...MULTIKEY }],
        }),
      ]],
      false,
    ),
    documentCase(
      {
        slug: "document-with-too-many-methods",
        title: "A DID document with more than 16 verification methods is rejected",
        basis: "decision",
        clauses: ["COMM-DID-17"],
        why: "Processing each verification method takes time, and the document is untrusted.",
      },
      [["17", createKeyRing(0, 16)]],
      false,
    ),
    documentCase(
      {
        slug: "document-without-usable-key",
        title: "A message fails verification if the sender's DID document has no Ed25519 key",
        clauses: ["COMM-SIG-10"],
        why: "Without an Ed25519 key, the signature cannot be verified.",
      },
      [
        ["no keys", { id: DOC_DID }],
        [
          "another kind of key",
          createDocument({
            type: "JsonWebKey2020",
            publicKeyJwk: { kty: "EC", crv: "P-256", x: JWK.x, y: JWK.x },
          }),
        ],
        [
          "another codec",
          createDocument({ ...MULTIKEY, publicKeyMultibase: toMultibase(key, "ec01") }),
        ],
        ["a dangling reference", createDocument(OTHER_METHOD, { verificationMethod: [] })],
        ["a type that is a list", createDocument({ ...MULTIKEY, type: [MULTIKEY.type] })],
        [
          "an id that is a list",
          createDocument({ ...MULTIKEY, id: [`${DOC_DID}#key`] }, {
            authentication: [`${DOC_DID}#key`],
          }),
        ],
      ],
      false,
    ),
  ];
}

/**
 * Creates the case for documents that belong to a different DID. Ids and controllers in the
 * documents are consistent, so that only the document's `id` differs from the sender's DID.
 */
function documentOfAnotherDidCase(): JsonObject {
  const did = "did:example:bob";
  const toDocument = ({ publicKeyHex }: Agent): JsonObject => ({
    id: did,
    verificationMethod: [{
      id: `${did}#key`,
      type: "Multikey",
      controller: did,
      publicKeyMultibase: toMultibase(publicKeyHex),
    }],
    authentication: [`${did}#key`],
  });
  const toText = (signer: Agent): string => toWire(sign({ ...LINKED, sender: DOC_DID }, signer));
  return createCase(AREA, {
    refs: [DID_CORE],
    slug: "document-of-another-did",
    title: "A DID document whose id is another DID is rejected",
    clauses: ["COMM-DID-9"],
    why: "If the id were ignored, keys that belong to another DID would be used.",
    control: `${AREA}/document-key-types`,
    op: "comm.message.verify",
    rows: [
      toRow(["id", toText(ALICE)], false, { [DOC_DID]: toDocument(ALICE) }),
      toRow(["different id, keys and signature", toText(BOB)], false, {
        [DOC_DID]: toDocument(BOB),
      }),
    ],
  });
}

/** Cases for DID methods other than did:key and for DID metadata. */
export function methodCases(): readonly JsonObject[] {
  const jwkDid = `did:jwk:${Buffer.from(JSON.stringify(JWK)).toString("base64url")}`;
  const privateJwk = JSON.stringify({ ...JWK, d: toBase64url(ALICE.seedHex) });
  const privateDid = `did:jwk:${Buffer.from(privateJwk).toString("base64url")}`;
  return [
    createCase(AREA, {
      slug: "did-jwk",
      title: "A message whose sender is a did:jwk passes verification",
      clauses: ["COMM-DID-4"],
      refs: ["https://github.com/quartzjer/did-jwk/blob/main/spec.md"],
      needs: { features: ["comm.did.jwk"] },
      why: "Like did:key, did:jwk needs no network access.",
      op: "comm.message.verify",
      rows: [toRow(["Ed25519", toWire(sign({ ...LINKED, sender: jwkDid }))], true)],
    }),
    createCase(AREA, {
      slug: "did-jwk-private",
      title: "A did:jwk that contains a private key is rejected",
      basis: "decision",
      clauses: ["COMM-DID-5"],
      needs: { features: ["comm.did.jwk"] },
      why: "Anyone who can read a private key in a DID could sign with it.",
      control: `${AREA}/did-jwk`,
      op: "comm.message.verify",
      rows: [toRow(["d", toWire(sign({ ...LINKED, sender: privateDid }))], false)],
    }),
    createCase(AREA, {
      slug: "deactivated",
      title: "A sender whose DID is deactivated is rejected",
      clauses: ["COMM-DID-10"],
      refs: ["https://www.w3.org/TR/did-core/#did-document-metadata"],
      why: "A deactivated DID must not be used, even if an old document is still available.",
      control: `${AREA}/document-key-types`,
      op: "comm.message.verify",
      rows: [{
        name: "deactivated",
        input: {
          messageText: BY_DOCUMENT,
          didDocuments: { [DOC_DID]: createDocument(MULTIKEY) },
          didMetadata: { [DOC_DID]: { deactivated: true } },
        },
        expect: { ok: { valid: false } },
      }],
    }),
    createCase(AREA, {
      slug: "other-recipient",
      title: "A verifier that knows its own DID rejects a message for another recipient",
      basis: "decision",
      clauses: ["COMM-POL-2"],
      why:
        "If the recipient were not checked, an attacker could deliver messages that were signed for another agent.",
      control: `${AREA}/own-recipient`,
      op: "comm.message.verify",
      rows: [{
        name: "carol",
        input: { messageText: toWire(SIGNED), recipient: CAROL.did },
        expect: { ok: { valid: false } },
      }],
    }),
    createCase(AREA, {
      slug: "own-recipient",
      title: "A verifier that knows its own DID accepts a message addressed to that DID",
      basis: "decision",
      clauses: ["COMM-POL-2"],
      why: "A recipient check must not reject messages that are addressed to the verifier.",
      op: "comm.message.verify",
      rows: [{
        name: "bob",
        input: { messageText: toWire(SIGNED), recipient: BOB.did },
        expect: { ok: { valid: true } },
      }],
    }),
    refuse({
      slug: "unknown-method",
      title: "A message whose sender has an unsupported DID method fails verification",
      basis: "decision",
      clauses: ["COMM-DID-15"],
      why: "The key of an unsupported DID method cannot be resolved.",
    }, [["did:unknown", toWire(sign({ ...LINKED, sender: "did:unknown:alice" }))]]),
    refuse({
      slug: "key-of-another-kind",
      title: "A message whose sender is a did:key for another key type fails verification",
      clauses: ["COMM-DID-2"],
      why:
        "If the key type were ignored, the key bytes would be read as an Ed25519 key that no agent published.",
    }, [[
      "X25519",
      toWire(sign({ ...LINKED, sender: `did:key:${toMultibase(ALICE.publicKeyHex, "ec01")}` })),
    ]]),
  ];
}
