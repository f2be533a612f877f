/**
 * Cases for the headers of signatures of JSON objects.
 *
 * @module
 */

import type { JsonObject, JsonValue } from "../../conformance/kit/json.ts";
import { refuse, RFC, sign, toCase, VALID } from "./comm_jws_case.ts";

/** Signs with other members in the protected header. */
function withHeader(header: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return sign({ header });
}

function algorithms(): JsonObject {
  return toCase({
    slug: "algorithms",
    title: "The algorithm is EdDSA or Ed25519",
    clauses: ["COMM-JWS-4"],
    refs: [
      "https://www.rfc-editor.org/rfc/rfc8037#section-3.1",
      "https://www.rfc-editor.org/rfc/rfc9864#section-2.2",
    ],
    why: "RFC 9864 deprecates the name EdDSA, and both names are in use.",
  }, [
    { name: "EdDSA", jws: VALID },
    { name: "Ed25519", jws: withHeader({ alg: "Ed25519" }) },
  ]);
}

function otherAlgorithms(): JsonObject {
  return refuse(
    {
      slug: "other-algorithms",
      title: "Other algorithms are rejected",
      clauses: ["COMM-JWS-4"],
      why: "An attacker could select an algorithm without a key, or one for other keys.",
    },
    "signature_unsupported",
    [
      ...["none", "NONE", "HS256", "ES256", "Ed448", "eddsa", "ED25519", ""].map((
        alg,
      ): readonly [string, JsonValue] => [
        alg === "" ? "empty" : alg,
        withHeader({ alg }),
      ]),
      ["no algorithm", withHeader({ alg: undefined })],
      ["not a text", withHeader({ alg: ["EdDSA"] })],
      ["only in the unprotected header", {
        ...withHeader({ alg: undefined }),
        header: { alg: "EdDSA" },
      }],
    ],
  );
}

function otherParameters(): JsonObject {
  return refuse(
    {
      slug: "other-parameters",
      title: "A header that changes the meaning of the signature is rejected",
      clauses: ["COMM-JWS-6"],
      refs: [`${RFC}#section-4.1.11`, "https://www.rfc-editor.org/rfc/rfc7797#section-3"],
      why: "A verifier that ignores such a parameter verifies other bytes than were signed.",
    },
    "signature_unsupported",
    [
      ["crit", withHeader({ crit: ["exp"], exp: 1 })],
      ["an empty crit", withHeader({ crit: [] })],
      ["b64 false", withHeader({ b64: false, crit: ["b64"] })],
      ["b64 false without crit", withHeader({ b64: false })],
      ["b64 true", withHeader({ b64: true })],
    ],
  );
}

function types(): JsonObject {
  return toCase({
    slug: "types",
    title: "The type is absent or that of a JSON Web Signature",
    clauses: ["COMM-JWS-7"],
    refs: [`${RFC}#section-4.1.9`],
    why: "Libraries omit the type, or write it with its prefix or in another case.",
  }, [
    { name: "absent", jws: withHeader({ typ: undefined }) },
    { name: "JOSE", jws: VALID },
    { name: "in lower case", jws: withHeader({ typ: "jose" }) },
    { name: "JOSE+JSON", jws: withHeader({ typ: "JOSE+JSON" }) },
    { name: "with a prefix", jws: withHeader({ typ: "application/jose+json" }) },
    { name: "other parameters", jws: withHeader({ cty: "json", iat: 1 }) },
  ]);
}

function otherTypes(): JsonObject {
  return refuse(
    {
      slug: "other-types",
      title: "Signatures of another type are rejected",
      clauses: ["COMM-JWS-7"],
      refs: ["https://www.rfc-editor.org/rfc/rfc8725#section-3.11"],
      why: "The claims of a JSON Web Token would pass as an object that its issuer has signed.",
    },
    "signature_unsupported",
    [
      ["JWT", withHeader({ typ: "JWT" })],
      ["at+jwt", withHeader({ typ: "at+jwt" })],
      ["dpop+jwt", withHeader({ typ: "dpop+jwt" })],
      ["not a text", withHeader({ typ: 1 })],
      ["null", withHeader({ typ: null })],
    ],
  );
}

/** Creates the cases. */
export function headerCases(): readonly JsonObject[] {
  return [algorithms(), otherAlgorithms(), otherParameters(), types(), otherTypes()];
}
