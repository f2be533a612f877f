/**
 * Cases for messages with a Data Integrity proof (cryptosuite `eddsa-jcs-2022`).
 *
 * @module
 */

import { createHash, sign as signBytes } from "node:crypto";
import { Buffer } from "node:buffer";
import type { JsonObject, JsonValue } from "../../conformance/kit/json.ts";
import type { GeneratedArea } from "./generated_area.ts";
import { LINKED, PLAIN, sign, toWire } from "./comm_messages.ts";
import { type Agent, ALICE, BOB, CAROL, importSeed, toBase58, toMultibase } from "./keys.ts";

const AREA = "comm/proof";
const REF = "https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022";
/** Time of the verification. */
export const NOW = "2026-01-02T03:05:00.000Z";
const DOC_DID = "did:example:alice";

/** Members of a message. */
export type Members = Record<string, JsonValue>;

/**
 * Implements RFC 8785 for the values in these cases: strings without escapes, small integers and
 * ASCII names.
 */
export function canonicalize(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return `{${members.map(([name, each]) => `"${name}":${canonicalize(each)}`).join(",")}}`;
}

function sha256(value: JsonValue): Buffer {
  return createHash("sha256").update(canonicalize(value)).digest();
}

/** Returns the id of the key in a did:key. */
export function keyIdOf(did: string): string {
  return `${did}#${did.slice("did:key:".length)}`;
}

/** Options for {@linkcode prove}. */
export interface Making {
  /** Overrides members of the proof configuration. `undefined` omits a member. */
  readonly config?: Readonly<Record<string, JsonValue | undefined>>;
  readonly signer?: Agent;
  /** Whether to hash the document before the proof configuration, which a verifier must reject. */
  readonly swapped?: boolean;
}

/**
 * Creates a proof: the proof configuration (§3.3.5), and the proof value over the two hashes
 * (§3.3.4).
 */
export function prove(message: Members, making: Making = {}): Members {
  const { signer = ALICE, swapped = false } = making;
  const all: Readonly<Record<string, JsonValue | undefined>> = {
    type: "DataIntegrityProof",
    cryptosuite: "eddsa-jcs-2022",
    created: "2026-01-02T03:04:06.000Z",
    verificationMethod: keyIdOf(ALICE.did),
    proofPurpose: "authentication",
    domain: BOB.did,
    ...making.config,
  };
  const config: Members = {};
  for (const [name, value] of Object.entries(all)) if (value !== undefined) config[name] = value;
  const hashes = [sha256(config), sha256(message)];
  const data = Buffer.concat(swapped ? hashes.reverse() : hashes);
  const value = signBytes(null, data, importSeed(signer.seedHex)).toString("hex");
  return { ...message, proof: { ...config, proofValue: `z${toBase58(value)}` } };
}

/** A signed message. */
export const MESSAGE: Members = JSON.parse(toWire(sign(LINKED)));
/** A message without a signature. */
export const UNSIGNED: Members = JSON.parse(toWire(PLAIN));

interface Row {
  readonly name: string;
  readonly message: Members;
  /**
   * Expected result: whether the proof is valid, the reason why it is invalid, or members of the
   * verification result.
   */
  readonly answer?: string | boolean | JsonObject;
  readonly args?: JsonObject;
}

function toRow({ name, message, answer = true, args = {} }: Row): JsonObject {
  const ok = typeof answer === "object"
    ? { valid: true, ...answer }
    : typeof answer === "string"
    ? { valid: false, reason: answer }
    : { valid: answer };
  const input = { messageText: JSON.stringify(message), recipient: BOB.did, now: NOW, ...args };
  return { name, input, expect: { ok } };
}

function toCase(
  slug: string,
  text: {
    readonly title: string;
    readonly clauses: readonly string[];
    readonly why: string;
    readonly level?: string;
    readonly control?: string;
  },
  rows: readonly Row[],
): JsonObject {
  const { control, ...rest } = text;
  return {
    id: `${AREA}/${slug}`,
    kind: "vector",
    level: "MUST",
    basis: "decision",
    refs: [REF],
    ...rest,
    ...(control === undefined ? {} : { control: `${AREA}/${control}` }),
    op: "comm.proof.verify",
    rows: rows.map(toRow),
  };
}

function changed(change: Members): Members {
  return { ...prove(MESSAGE), ...change };
}

function coverage(): readonly JsonObject[] {
  return [
    toCase("valid", {
      title: "A Data Integrity proof over the whole message passes verification",
      clauses: ["COMM-PROOF-1"],
      why: "Control case: each rejection case in this file adds one defect to this valid input.",
    }, [
      { name: "in addition to a signature", message: prove(MESSAGE) },
      { name: "without a signature", message: prove(UNSIGNED) },
      { name: "over unknown members", message: prove({ ...UNSIGNED, expiresAt: "x", a: [1] }) },
    ]),
    toCase(
      "tampered",
      {
        title: "A change to any member invalidates the proof",
        clauses: ["COMM-PROOF-2", "COMM-PROOF-1"],
        why: "A signature covers only some members, but a proof covers the whole message.",
        control: "valid",
      },
      [
        { name: "timestamp", message: changed({ timestamp: "2026-01-02T03:04:06Z" }) },
        { name: "replyTo", message: changed({ replyTo: "c-2" }) },
        { name: "payload", message: changed({ payload: 1 }) },
        { name: "id", message: changed({ id: "other" }) },
        { name: "signature", message: changed({ signature: "A".repeat(86) }) },
        { name: "unknown member added", message: changed({ x: 1 }) },
      ].map((row) => ({ ...row, answer: false })),
    ),
    toCase("no-proof", {
      title: "A message without a proof does not pass proof verification",
      clauses: ["COMM-PROOF-1"],
      why: "An attacker could remove the proof to bypass verification.",
      control: "valid",
    }, [
      { name: "signed", message: MESSAGE, answer: "proof_missing" },
      { name: "unsigned", message: UNSIGNED, answer: "proof_missing" },
    ]),
    toCase(
      "tampered-configuration",
      {
        title: "A change to the proof options invalidates the proof",
        clauses: ["COMM-PROOF-2"],
        why: "If the proof options were not protected, an attacker could extend an expired proof.",
        control: "valid",
      },
      [
        { name: "created", change: { created: "2026-01-02T03:04:07.000Z" } },
        { name: "expires added", change: { expires: "2027-01-01T00:00:00.000Z" } },
        { name: "challenge added", change: { challenge: "c" } },
      ].map(({ name, change }) => ({
        name,
        message: withProof(prove(MESSAGE), change),
        answer: false,
      })),
    ),
  ];
}

function withProof(message: Members, change: Members): Members {
  return { ...message, proof: { ...message.proof as JsonObject, ...change } };
}

function conditions(): readonly JsonObject[] {
  return [
    toCase("expiry", {
      title: "A proof is valid only until it expires",
      clauses: ["COMM-PROOF-3"],
      why: "An order that is valid today must not be executed tomorrow.",
    }, [
      {
        name: "not yet expired",
        message: prove(MESSAGE, { config: { expires: "2026-01-02T03:05:00.001Z" } }),
      },
      {
        name: "expired",
        message: prove(MESSAGE, { config: { expires: "2026-01-02T03:05:00.000Z" } }),
        answer: "expired",
      },
    ]),
    toCase("other-domain", {
      title: "A proof for another domain fails verification",
      clauses: ["COMM-PROOF-3"],
      why: "The domain of a proof identifies the recipient for which it was created.",
      control: "valid",
    }, [{
      name: "carol",
      message: prove(MESSAGE, { config: { domain: CAROL.did } }),
      answer: false,
    }]),
    toCase(
      "other-suite",
      {
        title: "A proof with a different type or cryptosuite fails verification",
        clauses: ["COMM-PROOF-1"],
        why: "A proof with a different type or cryptosuite covers different bytes.",
        control: "valid",
      },
      [
        { name: "type", config: { type: "Ed25519Signature2020" } },
        { name: "cryptosuite", config: { cryptosuite: "eddsa-rdfc-2022" } },
        { name: "no cryptosuite", config: { cryptosuite: undefined } },
      ].map(({ name, config }) => ({ name, message: prove(MESSAGE, { config }), answer: false })),
    ),
    toCase(
      "other-purpose",
      {
        title: "A proof for a purpose other than authentication fails verification",
        clauses: ["COMM-PROOF-4"],
        why: "A key agreement key may be stored less securely than a signing key.",
        control: "valid",
      },
      ["assertionMethod", "keyAgreement"].map((proofPurpose) => ({
        name: proofPurpose,
        message: prove(MESSAGE, { config: { proofPurpose } }),
        answer: false,
      })),
    ),
    toCase("other-key", {
      title: "A proof by a key in another agent's DID document fails verification",
      clauses: ["COMM-PROOF-4"],
      why: "If any key were accepted, the owner of one key could impersonate every agent.",
      control: "valid",
    }, [
      { name: "another signer", message: prove(MESSAGE, { signer: CAROL }), answer: false },
      {
        name: "another signer, using its own key",
        message: prove(MESSAGE, {
          signer: CAROL,
          config: { verificationMethod: keyIdOf(CAROL.did) },
        }),
        answer: false,
      },
      {
        name: "no key named",
        message: prove(MESSAGE, { config: { verificationMethod: undefined } }),
        answer: false,
      },
    ]),
    toCase("other-order-of-hashes", {
      title:
        "In the signed data of a proof, the hash of the proof options precedes the hash of the message",
      clauses: ["COMM-PROOF-1"],
      why:
        "Other implementations can verify a proof only if the hashes are in the order that the specification defines.",
      control: "valid",
    }, [{ name: "swapped", message: prove(MESSAGE, { swapped: true }), answer: false }]),
    toCase("key-by-document", {
      title:
        "A proof is verified with the key that it names, if the DID document lists that key for the proof purpose",
      clauses: ["COMM-PROOF-4"],
      why: "A DID document may contain many keys, and only one of them created the proof.",
    }, documentRows()),
    toCase(
      "key-end",
      {
        title: "A proof is valid until its key is revoked or expires",
        clauses: ["COMM-DID-21", "COMM-PROOF-4"],
        why: "The owner of a DID has no other means to withdraw a key that it still lists.",
      },
      ([
        ["revoked", "key_revoked"],
        ["expires", "key_expired"],
      ] as const).flatMap(([member, reason]) => [
        { name: `${member} later`, ...keyWith({ [member]: "2026-01-02T03:05:00.001Z" }) },
        { name: `${member} now`, ...keyWith({ [member]: NOW }), answer: reason },
        { name: `${member} unreadable`, ...keyWith({ [member]: "soon" }), answer: reason },
      ]),
    ),
    toCase("says-what-is-covered", {
      level: "SHOULD",
      title: "The result of verifying a proof lists the key and all members except the proof",
      clauses: ["COMM-SIG-16"],
      why:
        "A proof covers more members than a signature, so a caller must be able to distinguish the two results.",
    }, [{
      name: "in addition to a signature",
      message: prove(MESSAGE),
      answer: {
        keyId: keyIdOf(ALICE.did),
        covered: { $unordered: Object.keys(MESSAGE) },
      },
    }]),
  ];
}

function documentRows(): readonly Row[] {
  const message = prove({ ...UNSIGNED, sender: DOC_DID }, {
    config: { verificationMethod: `${DOC_DID}#2` },
  });
  const method = (name: string, { publicKeyHex }: Agent): JsonObject => ({
    id: `${DOC_DID}#${name}`,
    type: "Multikey",
    controller: DOC_DID,
    publicKeyMultibase: toMultibase(publicKeyHex),
  });
  const document = (authentication: readonly string[]): JsonObject => ({
    didDocuments: {
      [DOC_DID]: {
        id: DOC_DID,
        verificationMethod: [method("1", BOB), method("2", ALICE)],
        authentication: authentication.map((name) => `${DOC_DID}#${name}`),
      },
    },
  });
  return [
    { name: "second of two", message, args: document(["1", "2"]) },
    { name: "not for authentication", message, args: document(["1"]), answer: false },
  ];
}

/** Returns a message and a document whose only key has the given members. */
function keyWith(members: JsonObject): Pick<Row, "message" | "args"> {
  const id = `${DOC_DID}#1`;
  const message = prove({ ...UNSIGNED, sender: DOC_DID }, { config: { verificationMethod: id } });
  const method = {
    id,
    type: "Multikey",
    controller: DOC_DID,
    publicKeyMultibase: toMultibase(ALICE.publicKeyHex),
    ...members,
  };
  const document = { id: DOC_DID, verificationMethod: [method], authentication: [id] };
  return { message, args: { didDocuments: { [DOC_DID]: document } } };
}

/** Returns a message whose `proof` is an array of the proofs in the given messages. */
function proofSet(...messages: readonly Members[]): Members {
  return { ...MESSAGE, proof: messages.map(({ proof }) => proof ?? null) };
}

function sets(): readonly JsonObject[] {
  const valid = prove(MESSAGE);
  const other = prove(MESSAGE, { config: { challenge: "c" } });
  const chained = { previousProof: "urn:uuid:26329423-bec9-4b2e-88cb-a7c7d9dc4544" };
  return [
    toCase("set", {
      title: "A set of up to eight valid proofs passes verification",
      clauses: ["COMM-PROOF-5"],
      why: "Data Integrity allows a set of proofs, so other implementations may write an array.",
    }, [
      { name: "one", message: proofSet(valid) },
      { name: "two", message: proofSet(valid, other) },
      { name: "eight", message: proofSet(...Array.from({ length: 8 }, () => valid)) },
    ]),
    toCase(
      "set-with-an-invalid-proof",
      {
        title: "A set of proofs fails verification if one of them is invalid",
        clauses: ["COMM-PROOF-5"],
        why: "A result for the whole message must not depend on the order of the proofs.",
        control: "set",
      },
      [
        {
          name: "another signer last",
          message: proofSet(valid, prove(MESSAGE, { signer: CAROL })),
        },
        {
          name: "another signer first",
          message: proofSet(prove(MESSAGE, { signer: CAROL }), valid),
        },
        {
          name: "expired last",
          message: proofSet(valid, prove(MESSAGE, { config: { expires: NOW } })),
        },
        {
          name: "another domain last",
          message: proofSet(valid, prove(MESSAGE, { config: { domain: CAROL.did } })),
        },
        {
          name: "the last proof has a key of another DID",
          message: proofSet(
            valid,
            prove(MESSAGE, { signer: CAROL, config: { verificationMethod: keyIdOf(CAROL.did) } }),
          ),
        },
        { name: "null last", message: proofSet(valid, MESSAGE) },
      ].map((row) => ({ ...row, answer: false })),
    ),
    toCase("set-size", {
      title: "An empty set of proofs and a set of nine proofs fail verification",
      clauses: ["COMM-PROOF-5"],
      why:
        "Each proof requires a hash of the whole message, and the peer chooses the number of proofs.",
      control: "set",
    }, [
      { name: "none", message: proofSet(), answer: "proof_invalid" },
      {
        name: "nine",
        message: proofSet(...Array.from({ length: 9 }, () => valid)),
        answer: "proof_invalid",
      },
    ]),
    toCase("chain", {
      title: "A proof with previousProof fails verification",
      clauses: ["COMM-PROOF-6"],
      why:
        "A proof with previousProof covers another proof, which a verifier without proof chains does not check.",
      control: "valid",
    }, [
      {
        name: "one proof",
        message: prove(MESSAGE, { config: chained }),
        answer: "proof_invalid",
      },
      {
        name: "in a set",
        message: proofSet(valid, prove(MESSAGE, { config: chained })),
        answer: "proof_invalid",
      },
    ]),
  ];
}

/** Creates `comm/proof.json`. */
export function makeProofs(): GeneratedArea {
  return {
    area: AREA,
    source:
      "lab/generators/comm_proof.ts: Data Integrity EdDSA section 3.3 by hand, hashes and signatures by node:crypto",
    cases: [...coverage(), ...conditions(), ...sets()],
  };
}
