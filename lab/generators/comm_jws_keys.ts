/**
 * Cases for the keys of signatures of JSON objects.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import {
  DOC_DID,
  DOC_KEY,
  KEY_ID,
  refuse,
  type Row,
  sign,
  toCase,
  VALID,
} from "./comm_jws_case.ts";
import { keyIdOf } from "./comm_proof.ts";
import { ALICE, BOB, toMultibase } from "./keys.ts";

/** Creates a DID document that authorizes Alice's key with additional members. */
function documentOf(relationship: string, method: JsonObject = {}): JsonObject {
  return {
    id: DOC_DID,
    verificationMethod: [{
      id: DOC_KEY,
      type: "Multikey",
      controller: DOC_DID,
      publicKeyMultibase: toMultibase(ALICE.publicKeyHex),
      ...method,
    }],
    [relationship]: [DOC_KEY],
  };
}

/** Arguments of a row whose signer's document is given. */
function by(document: JsonObject, args: JsonObject = {}): JsonObject {
  return { didDocuments: { [DOC_DID]: document }, ...args };
}

const BY_DOCUMENT = sign({ header: { kid: DOC_KEY } });
const NOW = "2026-01-02T03:04:05Z";

function authorizedKeys(): JsonObject {
  return toCase({
    slug: "keys",
    title: "The key is authorized for assertionMethod in the document of the DID in kid",
    clauses: ["COMM-JWS-5"],
    why: "A DID publishes which of its keys may sign claims.",
  }, [
    { name: "a document", jws: BY_DOCUMENT, args: by(documentOf("assertionMethod")) },
    {
      name: "a fragment of one character",
      jws: sign({ header: { kid: `${DOC_DID}#0` } }),
      args: by({
        ...documentOf("assertionMethod", { id: `${DOC_DID}#0` }),
        assertionMethod: [`${DOC_DID}#0`],
      }),
    },
    {
      name: "another relationship that the verifier selects",
      jws: BY_DOCUMENT,
      args: by(documentOf("authentication"), { relationship: "authentication" }),
    },
    {
      name: "a revocation in the future",
      jws: BY_DOCUMENT,
      args: by(documentOf("assertionMethod", { revoked: "2026-01-02T03:04:05.001Z" }), {
        now: NOW,
      }),
    },
  ]);
}

/** Signatures by keys that the document does not authorize. */
function unauthorizedKeys(): readonly Row[] {
  return [
    {
      name: "a key for authentication",
      jws: BY_DOCUMENT,
      args: by(documentOf("authentication")),
      answer: "key_not_found",
    },
    {
      name: "another key of the document",
      jws: sign({ header: { kid: `${DOC_DID}#other` } }),
      args: by(documentOf("assertionMethod")),
      answer: "key_not_found",
    },
    {
      name: "a key that the document does not list",
      jws: sign({ header: { kid: `${ALICE.did}#other` } }),
      answer: "key_not_found",
    },
    {
      name: "a key of another DID",
      jws: sign({ header: { kid: keyIdOf(BOB.did) } }),
      answer: "signature_invalid",
    },
  ];
}

/** Signatures by keys that are not valid or cannot be resolved. */
function unavailableKeys(): readonly Row[] {
  return [
    {
      name: "revoked",
      jws: BY_DOCUMENT,
      args: by(documentOf("assertionMethod", { revoked: NOW }), { now: NOW }),
      answer: "key_revoked",
    },
    {
      name: "expired",
      jws: BY_DOCUMENT,
      args: by(documentOf("assertionMethod", { expires: NOW }), { now: NOW }),
      answer: "key_expired",
    },
    {
      name: "a document that cannot be resolved",
      jws: BY_DOCUMENT,
      args: { didMetadata: { [DOC_DID]: { error: "notFound" } } },
      answer: "did_resolution_failed",
    },
    {
      name: "a DID that is not valid for its method",
      jws: sign({ header: { kid: "did:key:z6Mk#key" } }),
      answer: "did_invalid",
    },
    {
      name: "a DID method that the verifier does not support",
      jws: BY_DOCUMENT,
      answer: "did_method_unsupported",
    },
    {
      name: "a key of another type",
      jws: BY_DOCUMENT,
      args: by(documentOf("assertionMethod", { type: "JsonWebKey2" })),
      answer: "key_unsupported",
    },
    {
      name: "a deactivated DID",
      jws: BY_DOCUMENT,
      args: by(documentOf("assertionMethod"), {
        didMetadata: { [DOC_DID]: { deactivated: true } },
      }),
      answer: "did_deactivated",
    },
  ];
}

function otherKeys(): JsonObject {
  return toCase({
    slug: "other-keys",
    title: "A key that the document does not authorize for assertionMethod is rejected",
    clauses: ["COMM-JWS-5", "COMM-JWS-12"],
    why: "Otherwise, a key that was stolen or serves another purpose could sign claims.",
    control: "keys",
  }, [...unauthorizedKeys(), ...unavailableKeys()]);
}

function keyIds(): JsonObject {
  return refuse(
    {
      slug: "key-ids",
      title: "A kid that is not the DID URL of a key is rejected",
      clauses: ["COMM-JWS-5"],
      why: "A verifier would have to guess whose key it is, or fetch it from the attacker.",
    },
    "signature_unsupported",
    [
      ["absent", sign({ header: { kid: undefined } })],
      ["not a text", sign({ header: { kid: 1 } })],
      ["a name", sign({ header: { kid: "key-1" } })],
      ["a DID", sign({ header: { kid: ALICE.did } })],
      ["an empty fragment", sign({ header: { kid: `${ALICE.did}#` } })],
      ["a fragment", sign({ header: { kid: "#key-1" } })],
      ["two fragments", sign({ header: { kid: `${KEY_ID}#key` } })],
      ["a query", sign({ header: { kid: `${ALICE.did}?a=b#key` } })],
      ["an HTTPS URL", sign({ header: { kid: "https://example.com/keys#1" } })],
      [
        "a key in the header",
        sign({
          header: { kid: undefined, jwk: { kty: "OKP", crv: "Ed25519", x: "A".repeat(43) } },
        }),
      ],
      ["the URL of keys", sign({ header: { kid: "1", jku: "https://example.com/keys" } })],
      ["only in the unprotected header", {
        ...sign({ header: { kid: undefined } }),
        header: { kid: KEY_ID },
      }],
    ],
  );
}

function signers(): JsonObject {
  return toCase({
    slug: "signer",
    title: "A verifier that expects a signer rejects every other signer",
    clauses: ["COMM-JWS-11"],
    why: "An attacker can sign the object with a different DID.",
  }, [
    { name: "the expected signer", jws: VALID, args: { signer: ALICE.did } },
    { name: "another signer", jws: VALID, args: { signer: BOB.did }, answer: "signer_mismatch" },
    {
      name: "another signer whose DID cannot be resolved",
      jws: BY_DOCUMENT,
      args: { signer: ALICE.did, didMetadata: { [DOC_DID]: { throws: true } } },
      answer: "signer_mismatch",
    },
  ]);
}

/** Creates the cases. */
export function keyCases(): readonly JsonObject[] {
  return [authorizedKeys(), otherKeys(), keyIds(), signers()];
}
