/**
 * Cases for proof options, and for proofs that the subject creates.
 *
 * @module
 */

import type { JsonObject, JsonValue } from "../../conformance/kit/json.ts";
import type { GeneratedArea } from "./generated_area.ts";
import { type Making, type Members, MESSAGE, NOW, prove, UNSIGNED } from "./comm_proof.ts";
import { ALICE, BOB, CAROL } from "./keys.ts";

const AREA = "comm/proof-options";
const CREATED = "2026-01-02T03:04:06.000Z";
const FIRST = "https://www.w3.org/ns/credentials/v2";
const SECOND = "https://example.com/v1";

/** Members that all cases in this file have. */
const COMMON = {
  kind: "vector",
  level: "MUST",
  basis: "decision",
  refs: ["https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022"],
} as const;

/**
 * A row that verifies a message with a valid proof, and checks whether the proof covers the
 * message's `@context`.
 */
function coverage(name: string, message: Members, isContextCovered: boolean): JsonObject {
  const { expect: _expect, ...row } = verification(name, message, true);
  const covered = Object.keys(message).filter((member) =>
    member !== "proof" && (member !== "@context" || isContextCovered)
  );
  return { ...row, expect: { ok: { valid: true, covered: { $unordered: covered } } } };
}

/** A row that verifies a message. */
function verification(
  name: string,
  message: Members,
  valid: boolean,
  args: JsonObject = {},
): JsonObject {
  const input = { messageText: JSON.stringify(message), recipient: BOB.did, now: NOW, ...args };
  const reason = valid ? {} : { reason: "proof_invalid" };
  return { name, input, expect: { ok: { valid, ...reason } } };
}

/** Returns a message whose `@context` was replaced or removed after the proof was created. */
function withContexts(shown: JsonValue | undefined, proven: JsonValue): Members {
  const { proof = null } = prove({ ...MESSAGE, "@context": proven }, {
    config: { "@context": proven },
  });
  return { ...MESSAGE, ...(shown === undefined ? {} : { "@context": shown }), proof };
}

/**
 * A row of a case in which the subject creates a proof. The signatures are deterministic, so the
 * whole message is known.
 */
function creation(
  name: string,
  message: Members,
  options: Readonly<Record<string, string>> = {},
  making: Making = {},
): JsonObject {
  const { proof: _replaced, ...document } = message;
  const expected = prove(document, { config: { ...options, ...making.config } });
  const input = {
    messageText: JSON.stringify(message),
    seedHex: ALICE.seedHex,
    created: CREATED,
    ...options,
  };
  return { name, input, expect: { ok: { message: { $exact: expected } } } };
}

/**
 * Returns a message whose proof value begins with a zero byte, which base58btc represents as the
 * digit 1.
 */
function beginsWithZero(): Members {
  for (let payload = 0;; payload++) {
    const message = { ...UNSIGNED, payload };
    const { proof } = prove(message);
    if (JSON.stringify(proof).includes('"proofValue":"z1')) return message;
  }
}

function challenges(): JsonObject {
  const proven = (challenge?: string): Members =>
    prove(MESSAGE, challenge === undefined ? {} : { config: { challenge } });
  return {
    id: `${AREA}/challenge`,
    ...COMMON,
    title: "A proof is valid only with the challenge that the verifier expects",
    clauses: ["COMM-PROOF-7"],
    why:
      "A verifier sends a new challenge to each sender, so that an old proof cannot be used again.",
    needs: { features: ["comm.proof.challenge"] },
    op: "comm.proof.verify",
    rows: [
      verification("the expected challenge", proven("c-1"), true, { challenge: "c-1" }),
      verification("a challenge that the verifier does not expect", proven("c-1"), true),
      verification("another challenge", proven("c-2"), false, { challenge: "c-1" }),
      verification("no challenge", proven(), false, { challenge: "c-1" }),
    ],
  };
}

function contexts(): readonly JsonObject[] {
  return [
    {
      id: `${AREA}/context`,
      ...COMMON,
      title: "A proof with an @context is verified over the message with this @context",
      clauses: ["COMM-PROOF-8"],
      why: "Software between sender and recipient may append further contexts to a message.",
      op: "comm.proof.verify",
      rows: [
        coverage("one value", withContexts(FIRST, FIRST), true),
        coverage("equal arrays", withContexts([FIRST, SECOND], [FIRST, SECOND]), true),
        coverage(
          "the beginning of the message's array",
          withContexts([FIRST, SECOND], [FIRST]),
          false,
        ),
        coverage(
          "the first value of the message's array",
          withContexts([FIRST, SECOND], FIRST),
          false,
        ),
      ],
    },
    {
      id: `${AREA}/other-context`,
      ...COMMON,
      title:
        "A proof is rejected if the @context of the message does not start with the @context of the proof",
      clauses: ["COMM-PROOF-8"],
      why: "The @context determines the meaning of the members of a message.",
      control: `${AREA}/context`,
      op: "comm.proof.verify",
      rows: [
        verification("another value", withContexts(SECOND, FIRST), false),
        verification("another order", withContexts([SECOND, FIRST], [FIRST, SECOND]), false),
        verification(
          "a value that is not at the beginning",
          withContexts([SECOND, FIRST], FIRST),
          false,
        ),
        verification(
          "more values than in the message",
          withContexts([FIRST], [FIRST, SECOND]),
          false,
        ),
        verification("no @context in the message", withContexts(undefined, FIRST), false),
      ],
    },
  ];
}

function creations(): readonly JsonObject[] {
  const options = { expires: "2026-01-02T03:06:00.000Z", challenge: "c-1" };
  const context: Members = { ...UNSIGNED, "@context": [FIRST, SECOND] };
  return [
    {
      id: `${AREA}/created`,
      ...COMMON,
      title: "A created proof has the members and the value that the cryptosuite defines",
      clauses: ["COMM-PROOF-9", "COMM-PROOF-1"],
      why:
        "Verifiers of other implementations reject a proof with a missing member or different bytes.",
      op: "comm.proof.make",
      rows: [
        creation("without options", UNSIGNED),
        creation("a proof of a signed message", MESSAGE),
        creation("with an expiration time and a challenge", MESSAGE, options),
        creation("with the @context of the message", context, {}, {
          config: { "@context": [FIRST, SECOND] },
        }),
        creation("replacing another proof", prove(UNSIGNED, { signer: CAROL })),
        creation("with a value that begins with a zero byte", beginsWithZero()),
      ],
    },
    {
      id: `${AREA}/foreign-sender`,
      ...COMMON,
      title: "Creating a proof with a key of a DID other than the sender's is an error",
      clauses: ["COMM-PROOF-4"],
      why:
        "No verifier accepts a proof with another DID's key, and its creator would not learn of the error until the recipient rejects the message.",
      control: `${AREA}/created`,
      op: "comm.proof.make",
      input: {
        messageText: JSON.stringify(UNSIGNED),
        seedHex: CAROL.seedHex,
        created: CREATED,
      },
      expect: { error: { code: "invalid_argument" } },
    },
  ];
}

/** A row that verifies, at 03:05 UTC, a message whose proof expires at the given time. */
function expiring(name: string, expires: string, isExpired: boolean): JsonObject {
  const { expect: _expect, ...row } = verification(
    name,
    prove(MESSAGE, { config: { expires } }),
    true,
  );
  const ok = isExpired ? { valid: false, reason: "expired" } : { valid: true };
  return { ...row, expect: { ok } };
}

/** A row that verifies a proof that does not expire at the given time. */
function aging(name: string, now: string, isExpired: boolean): JsonObject {
  const { input, ...row } = verification(name, prove(MESSAGE), true);
  const ok = isExpired ? { valid: false, reason: "expired" } : { valid: true };
  return { ...row, input: { ...Object(input), now }, expect: { ok } };
}

/** Cases for the age of proofs that do not expire. */
function ages(): readonly JsonObject[] {
  return [{
    id: `${AREA}/age`,
    ...COMMON,
    title: "A proof without an expiration time is valid for 5 minutes",
    clauses: ["COMM-PROOF-10"],
    why: "Anyone who has the message could send it again years later.",
    needs: { features: ["comm.proof.age"] },
    op: "comm.proof.verify",
    rows: [
      aging("5 minutes", "2026-01-02T03:09:06.000Z", false),
      aging("more than 5 minutes", "2026-01-02T03:09:06.001Z", true),
      aging("a year", "2027-01-02T03:04:06.000Z", true),
    ],
  }];
}

/** Cases for unusual times and unusual proof values. */
function rareValues(): readonly JsonObject[] {
  const created = "9999-12-31T23:59:59.000Z";
  const earliest = "0000-01-01T00:00:00.000Z";
  return [
    {
      id: `${AREA}/leading-zero`,
      ...COMMON,
      title: "A proof whose value begins with a zero byte is valid",
      clauses: ["COMM-PROOF-1"],
      why: "One in 256 signatures begins with a zero byte, which base58btc represents separately.",
      op: "comm.proof.verify",
      rows: [verification("one zero byte", prove(beginsWithZero()), true)],
    },
    {
      id: `${AREA}/expires-with-offset`,
      ...COMMON,
      title: "The time at which a proof expires may have an offset from UTC",
      clauses: ["COMM-PROOF-3", "COMM-TIME-2"],
      why: "Other implementations format times with the offset of their time zone.",
      op: "comm.proof.verify",
      rows: [
        expiring("ahead of UTC", "2026-01-02T05:05:01+02:00", false),
        expiring("behind UTC", "2026-01-01T21:35:01-05:30", false),
      ],
    },
    {
      id: `${AREA}/expired-with-offset`,
      ...COMMON,
      title:
        "A proof whose expiration time has an offset from UTC is rejected from that instant on",
      clauses: ["COMM-PROOF-3", "COMM-TIME-2"],
      why: "If the offset were ignored, a proof could be valid for hours after it has expired.",
      control: `${AREA}/expires-with-offset`,
      op: "comm.proof.verify",
      rows: [
        expiring("ahead of UTC", "2026-01-02T05:04:59+02:00", true),
        expiring("ahead of UTC by hours and minutes", "2026-01-02T08:34:59+05:30", true),
        expiring("behind UTC", "2026-01-01T21:34:59-05:30", true),
      ],
    },
    {
      id: `${AREA}/created-far-away`,
      ...COMMON,
      level: "SHOULD",
      title: "A proof can be created with any time from the year 0000 to the year 9999",
      clauses: ["COMM-TIME-1"],
      why:
        "RFC 3339 allows all of these years, so an implementation must not support a narrower range.",
      op: "comm.proof.make",
      rows: [
        creation("the last second of the year 9999", UNSIGNED, { created }),
        creation("the first second of the year 0000", UNSIGNED, { created: earliest }),
      ],
    },
  ];
}

/** Creates `comm/proof_options.json`. */
export function makeProofOptions(): GeneratedArea {
  return {
    area: AREA,
    source:
      "lab/generators/comm_proof_options.ts: Data Integrity EdDSA section 3.3 by hand, hashes and signatures by node:crypto",
    cases: [challenges(), ...contexts(), ...creations(), ...rareValues(), ...ages()],
  };
}
