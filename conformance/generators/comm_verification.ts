/**
 * Which signed messages verify and which do not.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import type { JsonObject } from "../kit/json.ts";
import type { GeneratedFile } from "./case_text.ts";
import {
  createCase,
  LINKED,
  type Members,
  PLAIN,
  sign,
  toSignedForm,
  toWire,
} from "./comm_messages.ts";
import { decodeNumber, encodeNumber, L } from "./ed25519_curve.ts";
import { ALICE, BOB, CAROL, signText, toBase58, toBase64url, toMultibase } from "./keys.ts";

const AREA = "comm/verification";
/** A DID that only a document gives keys to. */
const DOC_DID = "did:example:alice";
const DID_CORE = "https://www.w3.org/TR/did-core/#verification-methods";

type Row = readonly [name: string, messageText: string];

function toRow([name, messageText]: Row, valid: boolean, didDocuments?: JsonObject): JsonObject {
  return {
    name,
    input: { messageText, ...(didDocuments === undefined ? {} : { didDocuments }) },
    expect: { ok: { valid } },
  };
}

interface Text {
  readonly slug: string;
  readonly title: string;
  readonly clauses: readonly string[];
  readonly why: string;
  readonly [member: string]: string | readonly string[];
}

function accept(text: Text, rows: readonly Row[]): JsonObject {
  return createCase(AREA, {
    ...text,
    op: "comm.message.verify",
    rows: rows.map((row) => toRow(row, true)),
  });
}

function refuse(text: Text, rows: readonly Row[], control = "did-key"): JsonObject {
  return createCase(AREA, {
    ...text,
    control: `${AREA}/${control}`,
    op: "comm.message.verify",
    rows: rows.map((row) => toRow(row, false)),
  });
}

/** A signed message of which members were changed afterwards. */
function tamper(change: Partial<Members>, members: Members = LINKED): string {
  return toWire({ ...sign(members), ...change });
}

const SIGNED = sign(LINKED);
const SIGNATURE = SIGNED.signature ?? "";

function plainCases(): readonly JsonObject[] {
  const withoutCorrelation = sign(PLAIN);
  return [
    accept({
      slug: "did-key",
      title: "A message signed by its sender verifies",
      clauses: ["COMM-SIG-1", "COMM-SIG-10"],
      why: "Every case of refusal beside it is this message with one defect.",
      catches: ["A01", "A02", "A03", "A04", "A05", "A06", "A07"],
    }, [
      ["without correlationId", toWire(withoutCorrelation)],
      ["with correlationId", toWire(SIGNED)],
      ["from bob to alice", toWire(sign({ ...PLAIN, sender: BOB.did, recipient: ALICE.did }, BOB))],
    ]),
    accept({
      slug: "wire-form-does-not-matter",
      title: "Order of members, white space and escapes on the wire do not break a signature",
      clauses: ["COMM-SIG-3", "COMM-JSON-17"],
      why: "A broker that writes the message anew must not break it.",
    }, [
      ["indented", JSON.stringify(JSON.parse(toWire(SIGNED)), null, 2)],
      ["escaped", toWire(SIGNED).replace("task_assign", "\\u0074ask_assign")],
      ["null for an absent member", toWire(withoutCorrelation).replace(/}$/, ',"replyTo":null}')],
      [
        "correlationId null",
        toWire(withoutCorrelation).replace(/}$/, ',"correlationId":null}'),
      ],
    ]),
    accept({
      slug: "not-covered",
      title: "A change of replyTo, timestamp or an unknown member does not break a signature",
      clauses: ["COMM-SIG-6"],
      why:
        "Other implementations do not sign them, so a verifier that looks at them accepts nothing.",
      catches: ["A01", "A02"],
    }, [
      ["replyTo changed", tamper({ replyTo: "r-2" })],
      ["replyTo added", toWire({ ...sign(PLAIN), replyTo: "r-2" })],
      ["timestamp changed", tamper({ timestamp: "2030-01-01T00:00:00Z" })],
      ["unknown member", toWire(SIGNED).replace(/}$/, ',"x":1}')],
    ]),
    refuse({
      slug: "unsigned",
      title: "A message without a signature is not verified",
      clauses: ["COMM-SIG-9"],
      why: "Taking the signature away must not be a way around it.",
      catches: ["A22"],
    }, [
      ["absent", toWire(LINKED)],
      ["null", toWire(LINKED).replace(/}$/, ',"signature":null}')],
    ]),
  ];
}

function tamperedCases(): readonly JsonObject[] {
  const change = (
    slug: string,
    what: string,
    why: string,
    rows: readonly Row[],
    catches?: string,
  ): JsonObject =>
    refuse({
      slug: `tampered-${slug}`,
      title: `A changed ${what} breaks the signature`,
      clauses: ["COMM-SIG-5"],
      why,
      ...(catches === undefined ? {} : { catches: [catches] }),
    }, rows);
  return [
    change("id", "id", "A message under a new id is processed a second time.", [
      ["changed", tamper({ id: "019b7ca9-8f2e-7a00-8000-000000000002" })],
      ["upper case", tamper({ id: PLAIN.id.toUpperCase() })],
    ]),
    change(
      "correlation-id",
      "correlationId",
      "An answer can be moved to another question.",
      [
        ["changed", tamper({ correlationId: "c-2" })],
        ["removed", toWire(sign(LINKED)).replace('"correlationId":"c-1",', "")],
        ["added", tamper({ correlationId: "c-1" }, PLAIN)],
      ],
      "A03",
    ),
    change("sender", "sender", "A message can be attributed to somebody else.", [
      ["bob", tamper({ sender: BOB.did })],
      ["carol", tamper({ sender: CAROL.did })],
    ]),
    change("recipient", "recipient", "An order to one agent becomes an order to another.", [
      ["carol", tamper({ recipient: CAROL.did })],
    ]),
    change("protocol", "protocol", "The same type means something else in another protocol.", [
      ["other version", tamper({ protocol: "agent.task.v2" })],
    ]),
    change("message-type", "messageType", "A result becomes an order.", [
      ["other type", tamper({ messageType: "task_result" })],
    ]),
    change(
      "payload",
      "payload",
      "It is what the agent acts on.",
      [
        ["value", tamper({ payload: '{"n":2,"text":"Z\u00fcrich"}' })],
        ["type", tamper({ payload: '{"n":"1","text":"Z\u00fcrich"}' })],
        ["member added", tamper({ payload: '{"n":1,"text":"Z\u00fcrich","x":null}' })],
        ["member removed", tamper({ payload: '{"n":1}' })],
        ["normalized", tamper({ payload: '{"n":1,"text":"Zu\u0308rich"}' })],
        ["null", tamper({ payload: "null" })],
      ],
    ),
  ];
}

/** The base64url digits in order of value. */
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A message whose signature holds both characters in which base64url and base64 differ. */
function signWithBothSpecials(): Members {
  for (let number = 0;; number++) {
    const signed = sign({ ...PLAIN, id: `m-${number}` });
    if (/-.*_|_.*-/.test(signed.signature ?? "")) return signed;
  }
}

function signatureTextCases(): readonly JsonObject[] {
  const bytes = Buffer.from(SIGNATURE, "base64url");
  const last = DIGITS.indexOf(SIGNATURE.charAt(85));
  const special = signWithBothSpecials();
  const text = special.signature ?? "";
  const row = (name: string, signature: string): Row => [name, toWire({ ...SIGNED, signature })];
  const malformed = (
    slug: string,
    title: string,
    why: string,
    mutant: string | undefined,
    rows: readonly Row[],
  ) =>
    refuse({
      slug,
      title,
      basis: "decision",
      clauses: ["COMM-SIG-8"],
      refs: ["https://www.rfc-editor.org/rfc/rfc4648#section-3.5"],
      why,
      ...(mutant === undefined ? {} : { catches: [mutant] }),
    }, rows);
  const many = "Each further text for one signature is a message that others take for a new one.";
  return [
    malformed("signature-padded", "A signature with padding is refused", many, "A19a", [
      row("two", `${SIGNATURE}==`),
      row("one", `${SIGNATURE}=`),
    ]),
    malformed(
      "signature-leftover-bits",
      "A signature whose last character holds leftover bits is refused",
      many,
      "A19b",
      [1, 2, 15].map((bits) =>
        row(`bits ${bits}`, SIGNATURE.slice(0, 85) + DIGITS.charAt(last + bits))
      ),
    ),
    malformed(
      "signature-other-alphabet",
      "A signature in the standard alphabet of base64 is refused",
      many,
      "A19c",
      [
        ["both", toWire({ ...special, signature: text.replaceAll("-", "+").replaceAll("_", "/") })],
        [
          "with padding",
          toWire({ ...special, signature: `${Buffer.from(text, "base64url").toString("base64")}` }),
        ],
      ],
    ),
    malformed("signature-white-space", "A signature with white space is refused", many, "A19c", [
      row("space at the end", `${SIGNATURE} `),
      row("line feed at the end", `${SIGNATURE}\n`),
      row("line feed inside", `${SIGNATURE.slice(0, 64)}\n${SIGNATURE.slice(64)}`),
      row("space at the start", ` ${SIGNATURE}`),
    ]),
    malformed("signature-junk", "A signature with foreign characters is refused", many, "A19c", [
      row("inside", `${SIGNATURE.slice(0, 10)}*${SIGNATURE.slice(11)}`),
      row("added", `${SIGNATURE}!`),
    ]),
    malformed(
      "signature-wrong-length",
      "A signature that is not 64 bytes is refused",
      "Cutting or padding it makes a signature of what was none.",
      undefined,
      [
        row("63 bytes", bytes.subarray(0, 63).toString("base64url")),
        row("65 bytes", Buffer.concat([bytes, Buffer.of(0)]).toString("base64url")),
        row("one character", "A"),
        row("hexadecimal", bytes.toString("hex")),
      ],
    ),
  ];
}

function addOrder(signature: string): string {
  const bytes = Buffer.from(signature, "base64url");
  const s = encodeNumber(decodeNumber(bytes.subarray(32)) + L);
  return Buffer.concat([bytes.subarray(0, 32), s]).toString("base64url");
}

function wrongSignatureCases(): readonly JsonObject[] {
  const signedBy = (members: Members, text: string, signer = ALICE): string =>
    toWire({ ...members, signature: signText(signer, text) });
  const form = toSignedForm(LINKED);
  const plain = toSignedForm(PLAIN);
  const values = [
    PLAIN.id,
    null,
    PLAIN.sender,
    PLAIN.recipient,
    PLAIN.protocol,
    PLAIN.messageType,
    null,
  ];
  const hash = createHash("sha256").update(form).digest("hex");
  const url = { ...PLAIN, payload: '"https://e.x/a"' };
  return [
    refuse({
      slug: "other-signer",
      title: "A signature by anybody but the sender is refused",
      clauses: ["COMM-SIG-10", "COMM-SIG-2"],
      why: "Otherwise anybody with a key speaks for everybody.",
      catches: ["A23"],
    }, [
      ["the recipient", signedBy(LINKED, form, BOB)],
      ["a third", signedBy(LINKED, form, CAROL)],
      ["of another message", toWire({ ...LINKED, signature: sign(PLAIN).signature ?? "" })],
    ]),
    refuse({
      slug: "malleable",
      title: "A signature whose S is not below the group order is refused",
      basis: "rfc8032",
      clauses: ["COMM-SIG-11"],
      why: "Anybody can make it from a valid one.",
      catches: ["A21"],
    }, [["S + L", toWire({ ...SIGNED, signature: addOrder(SIGNATURE) })]]),
    refuse({
      slug: "other-forms",
      title: "A signature over another form of the same message is refused",
      basis: "decision",
      clauses: ["COMM-SIG-17", "COMM-SIG-3", "COMM-SIG-4"],
      why: "A verifier that tries several forms accepts messages that others refuse.",
      catches: ["A05", "A06", "A07"],
    }, [
      ["an array", signedBy(PLAIN, JSON.stringify(values))],
      ["null for the absent member", signedBy(PLAIN, plain.replace("{", '{"correlationId":null,'))],
      ["an empty text for it", signedBy(PLAIN, plain.replace("{", '{"correlationId":"",'))],
      ["escaped slashes", signedBy(url, toSignedForm(url).replaceAll("/", "\\/"))],
      [
        "with the timestamp",
        signedBy(LINKED, form.replace(/}$/, `,"timestamp":"${LINKED.timestamp}"}`)),
      ],
      ["with replyTo", signedBy(LINKED, form.replace(',"sender"', ',"replyTo":"c-1","sender"'))],
      ["without the payload", signedBy(PLAIN, plain.replace('"payload":null,', ""))],
      [
        "members in another order",
        signedBy(PLAIN, toWire(PLAIN).replace(/"timestamp":"[^"]*",/, "")),
      ],
      ["white space", signedBy(PLAIN, plain.replaceAll(",", ", "))],
      ["a line feed at the end", signedBy(PLAIN, `${plain}\n`)],
      ["its hash", signedBy(LINKED, hash)],
      ["ASCII escapes", signedBy(LINKED, form.replace("\u00fc", "\\u00fc"))],
    ]),
  ];
}

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

/** A document with keys of which the last but `after` is the signer's. */
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

function documentCases(): readonly JsonObject[] {
  const key = ALICE.publicKeyHex;
  return [
    documentCase(
      {
        slug: "document-key-types",
        title: "Keys are found in the five forms in which they are published",
        basis: "decision",
        clauses: ["COMM-DID-11", "COMM-SIG-10"],
        why: "Resolvers of one and the same DID give different forms.",
        catches: ["A23"],
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
        title: "A key counts when authentication refers to it or holds it",
        clauses: ["COMM-DID-13"],
        why: "Both forms are in use.",
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
        title: "Any of several keys may have made the signature",
        basis: "decision",
        clauses: ["COMM-DID-14"],
        why: "While a key is being replaced, two are valid.",
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
        title: "A key for another purpose than authentication does not count",
        clauses: ["COMM-DID-13"],
        why: "A key for agreeing on secrets may lie in places where a signing key never would.",
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
        title: "A key that another DID controls does not count",
        clauses: ["COMM-DID-12"],
        why: "Its owner could speak for this DID.",
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
        title: "A method whose two encodings of the key differ does not count",
        clauses: ["COMM-DID-12"],
        why: "Implementations differ on which of the two they read.",
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
    documentCase(
      {
        slug: "document-of-another-did",
        title: "A document with another id is refused",
        clauses: ["COMM-DID-9"],
        why: "A resolver that returns the wrong document must not lend its keys.",
      },
      [["id", createDocument(MULTIKEY, { id: "did:example:bob" })]],
      false,
    ),
    documentCase(
      {
        slug: "document-private-key",
        title: "A JSON Web Key with its private part is refused",
        basis: "decision",
        clauses: ["COMM-DID-5"],
        why: "Whoever reads the document can sign.",
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
        slug: "document-with-too-many-methods",
        title: "A document with more than 16 verification methods is refused",
        basis: "decision",
        clauses: ["COMM-DID-17"],
        why: "Each costs work, and the document comes from the peer.",
      },
      [["17", createKeyRing(0, 16)]],
      false,
    ),
    documentCase(
      {
        slug: "document-without-usable-key",
        title: "A document without an Ed25519 key verifies nothing",
        clauses: ["COMM-SIG-10"],
        why: "There is nothing to check with.",
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
      ],
      false,
    ),
  ];
}

function methodCases(): readonly JsonObject[] {
  const jwkDid = `did:jwk:${Buffer.from(JSON.stringify(JWK)).toString("base64url")}`;
  const privateJwk = JSON.stringify({ ...JWK, d: toBase64url(ALICE.seedHex) });
  const privateDid = `did:jwk:${Buffer.from(privateJwk).toString("base64url")}`;
  return [
    createCase(AREA, {
      slug: "did-jwk",
      title: "A message whose sender is a did:jwk verifies",
      clauses: ["COMM-DID-4"],
      refs: ["https://github.com/quartzjer/did-jwk/blob/main/spec.md"],
      needs: { features: ["comm.did.jwk"] },
      why: "The second method that needs no network.",
      op: "comm.message.verify",
      rows: [toRow(["Ed25519", toWire(sign({ ...LINKED, sender: jwkDid }))], true)],
    }),
    createCase(AREA, {
      slug: "did-jwk-private",
      title: "A did:jwk that holds its private key is refused",
      basis: "decision",
      clauses: ["COMM-DID-5"],
      needs: { features: ["comm.did.jwk"] },
      why: "Whoever reads the DID can sign.",
      control: `${AREA}/did-jwk`,
      op: "comm.message.verify",
      rows: [toRow(["d", toWire(sign({ ...LINKED, sender: privateDid }))], false)],
    }),
    createCase(AREA, {
      slug: "deactivated",
      title: "A sender whose DID is deactivated is refused",
      clauses: ["COMM-DID-10"],
      refs: ["https://www.w3.org/TR/did-core/#did-document-metadata"],
      why: "Whoever gave a DID up no longer speaks through it, whatever its old document says.",
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
      title: "A message for somebody else is refused by whoever gives his own DID",
      basis: "decision",
      clauses: ["COMM-POL-2"],
      why: "It was signed for somebody else, and sent on by whoever got it.",
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
      title: "A message for the verifier's own DID is accepted",
      basis: "decision",
      clauses: ["COMM-POL-2"],
      why: "It is his.",
      op: "comm.message.verify",
      rows: [{
        name: "bob",
        input: { messageText: toWire(SIGNED), recipient: BOB.did },
        expect: { ok: { valid: true } },
      }],
    }),
    refuse({
      slug: "unknown-method",
      title: "A sender whose method nobody resolves is not verified",
      basis: "decision",
      clauses: ["COMM-DID-15"],
      why: "No key, no verdict.",
    }, [["did:unknown", toWire(sign({ ...LINKED, sender: "did:unknown:alice" }))]]),
    refuse({
      slug: "key-of-another-kind",
      title: "A did:key of another kind of key verifies nothing",
      clauses: ["COMM-DID-2"],
      why: "Its bytes read as an Ed25519 key would be a key that nobody announced.",
      catches: ["A24"],
    }, [[
      "X25519",
      toWire(sign({ ...LINKED, sender: `did:key:${toMultibase(ALICE.publicKeyHex, "ec01")}` })),
    ]]),
  ];
}

/** Refusals carry their cause. */
function reasonCases(): readonly JsonObject[] {
  const row = (reason: string, messageText: string): JsonObject => ({
    name: reason,
    input: { messageText },
    expect: { ok: { valid: false, reason } },
  });
  return [createCase(AREA, {
    slug: "reasons",
    title: "Refusals of different causes carry different codes",
    basis: "decision",
    clauses: ["COMM-ERR-2", "COMM-ERR-1"],
    why: "The caller does different things about them: ask again, resolve, or report an attack.",
    control: `${AREA}/did-key`,
    op: "comm.message.verify",
    rows: [
      row("signature_missing", toWire(LINKED)),
      row("signature_malformed", toWire({ ...SIGNED, signature: `${SIGNATURE}==` })),
      row("signature_invalid", tamper({ payload: "null" })),
      row("did_method_unsupported", toWire(sign({ ...LINKED, sender: "did:unknown:alice" }))),
    ],
  })];
}

/** Makes `comm/verification.json`. */
export function makeVerification(): GeneratedFile {
  return {
    path: "comm/verification.json",
    area: AREA,
    source:
      "generators/comm_verification.ts: signed forms by hand from RFC 8785, signatures by node:crypto",
    cases: [
      ...plainCases(),
      ...tamperedCases(),
      ...signatureTextCases(),
      ...wrongSignatureCases(),
      ...documentCases(),
      ...methodCases(),
      ...reasonCases(),
    ],
  };
}
