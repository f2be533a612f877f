/**
 * Cases for the details of verification results: the key and the covered members.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import { createCase, LINKED, sign, toWire } from "./comm_messages.ts";
import { ALICE, BOB, toMultibase } from "./keys.ts";
import { AREA, SIGNED } from "./verification_case.ts";

const DOC_DID = "did:example:alice";
const BY_DOCUMENT = toWire(sign({ ...LINKED, sender: DOC_DID }));

/** Members that a signature covers. */
const COVERED = [
  "id",
  "correlationId",
  "sender",
  "recipient",
  "protocol",
  "messageType",
  "payload",
];

function toMethod(id: string, publicKeyHex: string): JsonObject {
  return {
    id,
    type: "Multikey",
    controller: DOC_DID,
    publicKeyMultibase: toMultibase(publicKeyHex),
  };
}

/** Creates a DID document that lists the signer's key second. */
function withKeyIds(first: string, second: string): JsonObject {
  return {
    [DOC_DID]: {
      id: DOC_DID,
      verificationMethod: [
        toMethod(first, BOB.publicKeyHex),
        toMethod(second, ALICE.publicKeyHex),
      ],
      authentication: [first, second],
    },
  };
}

function toRow(name: string, input: JsonObject, found: JsonObject): JsonObject {
  return { name, input, expect: { ok: { valid: true, ...found } } };
}

/** Creates a row whose DID document lists one key for each item of `changes`. */
function reasonRow(name: string, changes: readonly JsonObject[], reason: string): JsonObject {
  const ids = changes.map((_, index) => `${DOC_DID}#${index}`);
  const document: JsonObject = {
    id: DOC_DID,
    verificationMethod: changes.map((change, index) => ({
      ...toMethod(`${DOC_DID}#${index}`, ALICE.publicKeyHex),
      ...change,
    })),
    authentication: ids,
  };
  const input = { messageText: BY_DOCUMENT, didDocuments: { [DOC_DID]: document } };
  return { name, input, expect: { ok: { valid: false, reason } } };
}

/** Cases for the details of verification results. */
export function verdictCases(): readonly JsonObject[] {
  const keyOfAlice = { keyId: `${ALICE.did}#${ALICE.did.slice("did:key:".length)}` };
  const secondKey = { keyId: `${DOC_DID}#second` };
  return [
    createCase(AREA, {
      slug: "says-what-is-covered",
      level: "SHOULD",
      title: "A verification result lists the signed members",
      basis: "decision",
      clauses: ["COMM-SIG-16"],
      why:
        'A caller that sees only "valid" might also trust the unsigned members replyTo and timestamp.',
      op: "comm.message.verify",
      rows: [
        toRow("a reply", { messageText: toWire(SIGNED) }, { covered: { $unordered: COVERED } }),
      ],
    }),
    createCase(AREA, {
      slug: "reason-without-a-key",
      level: "SHOULD",
      title:
        "A rejection distinguishes documents without keys from documents with unsupported keys",
      basis: "decision",
      clauses: ["COMM-ERR-1"],
      why: "The sender can correct its document only if it learns what is missing.",
      control: `${AREA}/says-which-key`,
      op: "comm.message.verify",
      rows: [
        reasonRow("no key is listed", [], "key_not_found"),
        reasonRow("no listed key is valid", [{ publicKeyMultibase: "z6Mk" }], "key_not_found"),
        reasonRow("no type is supported", [{ type: "OtherKey2020" }], "key_unsupported"),
      ],
    }),
    createCase(AREA, {
      slug: "says-which-key",
      level: "SHOULD",
      title: "A verification result identifies the key that verified the signature",
      basis: "decision",
      clauses: ["COMM-SIG-16"],
      refs: ["https://www.w3.org/TR/did-core/#verification-methods"],
      why:
        "If a key is stolen, operators must be able to find the messages that were signed with it.",
      op: "comm.message.verify",
      rows: [
        toRow("the key of a did:key", { messageText: toWire(SIGNED) }, keyOfAlice),
        toRow("the second key of a document", {
          messageText: BY_DOCUMENT,
          didDocuments: withKeyIds(`${DOC_DID}#first`, `${DOC_DID}#second`),
        }, secondKey),
        toRow("ids relative to the document", {
          messageText: BY_DOCUMENT,
          didDocuments: withKeyIds("#first", "#second"),
        }, secondKey),
      ],
    }),
  ];
}
