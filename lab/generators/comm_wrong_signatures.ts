/**
 * Cases for invalid signatures: malformed strings, and signatures over other data.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { Buffer } from "node:buffer";
import type { JsonObject } from "../../conformance/kit/json.ts";
import { LINKED, type Members, PLAIN, sign, toSignedForm, toWire } from "./comm_messages.ts";
import { decodeNumber, encodeNumber, L } from "./ed25519_curve.ts";
import { ALICE, BOB, CAROL, signText } from "./keys.ts";
import { refuse, type Row, SIGNATURE, SIGNED } from "./verification_case.ts";

/** Base64url characters, ordered by value. */
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Creates a message whose signature contains both of the characters that differ between base64url
 * and base64.
 */
function signWithBothSpecials(): Members {
  for (let number = 0;; number++) {
    const signed = sign({ ...PLAIN, id: `m-${number}` });
    if (/-.*_|_.*-/.test(signed.signature ?? "")) return signed;
  }
}

/**
 * Creates a message whose signature ends with a zero byte, without that byte. A decoder that pads
 * the signature restores the missing byte.
 */
function cutZeroByte(): Members {
  for (let number = 0;; number++) {
    const signed = sign({ ...PLAIN, id: `m-${number}` });
    const bytes = Buffer.from(signed.signature ?? "", "base64url");
    if (bytes[63] === 0) {
      return { ...signed, signature: bytes.subarray(0, 63).toString("base64url") };
    }
  }
}

/** Cases for malformed signature strings. */
export function signatureTextCases(): readonly JsonObject[] {
  const bytes = Buffer.from(SIGNATURE, "base64url");
  const last = DIGITS.indexOf(SIGNATURE.charAt(85));
  const special = signWithBothSpecials();
  const text = special.signature ?? "";
  const row = (name: string, signature: string): Row => [name, toWire({ ...SIGNED, signature })];
  const malformed = (
    slug: string,
    title: string,
    why: string,
    rows: readonly Row[],
  ) =>
    refuse({
      slug,
      title,
      basis: "decision",
      clauses: ["COMM-SIG-8"],
      refs: ["https://www.rfc-editor.org/rfc/rfc4648#section-3.5"],
      why,
    }, rows);
  const many =
    "If a signature had several encodings, a replayed message could look like a new one.";
  return [
    malformed("signature-padded", "A signature with padding is rejected", many, [
      row("two", `${SIGNATURE}==`),
      row("one", `${SIGNATURE}=`),
    ]),
    malformed(
      "signature-leftover-bits",
      "A signature whose last character has non-zero trailing bits is rejected",
      many,
      [1, 2, 15].map((bits) =>
        row(`bits ${bits}`, SIGNATURE.slice(0, 85) + DIGITS.charAt(last + bits))
      ),
    ),
    malformed(
      "signature-other-alphabet",
      "A signature in the standard base64 alphabet is rejected",
      many,
      [
        ["both", toWire({ ...special, signature: text.replaceAll("-", "+").replaceAll("_", "/") })],
        [
          "with padding",
          toWire({ ...special, signature: `${Buffer.from(text, "base64url").toString("base64")}` }),
        ],
      ],
    ),
    malformed("signature-white-space", "A signature with whitespace is rejected", many, [
      row("space at the end", `${SIGNATURE} `),
      row("line feed at the end", `${SIGNATURE}\n`),
      row("line feed inside", `${SIGNATURE.slice(0, 64)}\n${SIGNATURE.slice(64)}`),
      row("space at the start", ` ${SIGNATURE}`),
    ]),
    malformed(
      "signature-junk",
      "A signature with characters outside the alphabet is rejected",
      many,
      [
        row("inside", `${SIGNATURE.slice(0, 10)}*${SIGNATURE.slice(10)}`),
        row("added", `${SIGNATURE}!`),
      ],
    ),
    malformed(
      "signature-wrong-length",
      "A signature that is not 64 bytes long is rejected",
      "A reader that truncates or pads signatures would accept an invalid one.",
      [
        ["63 bytes", toWire(cutZeroByte())],
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

/** Cases for signatures by a different key, over other data, or derived from a valid signature. */
export function wrongSignatureCases(): readonly JsonObject[] {
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
      title: "A signature by an agent other than the sender is rejected",
      clauses: ["COMM-SIG-10", "COMM-SIG-2"],
      why: "If any key were accepted, the owner of one key could impersonate every agent.",
    }, [
      ["the recipient", signedBy(LINKED, form, BOB)],
      ["a third", signedBy(LINKED, form, CAROL)],
      ["of another message", toWire({ ...LINKED, signature: sign(PLAIN).signature ?? "" })],
    ]),
    refuse({
      slug: "malleable",
      title: "A signature whose S is not below the group order is rejected",
      basis: "rfc8032",
      clauses: ["COMM-SIG-11"],
      why: "A third party can derive a signature with a larger S from a valid one.",
    }, [["S + L", toWire({ ...SIGNED, signature: addOrder(SIGNATURE) })]]),
    refuse({
      slug: "other-forms",
      title: "A signature over another serialization of the same message is rejected",
      basis: "decision",
      clauses: ["COMM-SIG-17", "COMM-SIG-3", "COMM-SIG-4"],
      why: "A verifier that tries several serializations accepts messages that others reject.",
    }, [
      ["an array", signedBy(PLAIN, JSON.stringify(values))],
      ["null for the absent member", signedBy(PLAIN, plain.replace("{", '{"correlationId":null,'))],
      [
        "an empty string for the absent member",
        signedBy(PLAIN, plain.replace("{", '{"correlationId":"",')),
      ],
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
      ["the hash of the signed form", signedBy(LINKED, hash)],
      ["ASCII escapes", signedBy(LINKED, form.replace("\u00fc", "\\u00fc"))],
    ]),
  ];
}
