/**
 * Cases for did:key: DIDs that encode a valid Ed25519 key, and DIDs that must be rejected.
 *
 * @module
 */

import type { JsonObject } from "../kit/json.ts";
import type { GeneratedFile } from "./case_text.ts";
import { ALICE, BOB, CAROL, toBase58, toBase64url, toMultibase } from "./keys.ts";

const AREA = "comm/did-key";
const REF = "https://w3c-ccg.github.io/did-key-spec/#signature-method-creation-algorithm";

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

/** Creates `comm/did_key.json`. */
export function makeDids(): GeneratedFile {
  const agents = [ALICE, BOB, CAROL];
  const key = ALICE.publicKeyHex;
  return {
    path: "comm/did_key.json",
    area: AREA,
    source:
      "generators/comm_did.ts: base58 of ed 01 and the key, by hand; keys of RFC 8032 section 7.1",
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
        catches: ["A24"],
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
        clauses: ["COMM-DID-2"],
        why:
          "If invalid spellings of a DID were accepted, one sender could appear to be several senders.",
        control: `${AREA}/decode`,
        op: "comm.did.decode",
        rows: [
          refuse("base64url", `did:key:u${toBase64url(`ed01${key}`)}`),
          refuse("hexadecimal", `did:key:fed01${key}`),
          refuse("no multibase prefix", `did:key:${toBase58(`ed01${key}`)}`),
          refuse("a character that base58 lacks", ALICE.did.replace("tw", "0O")),
          refuse("a leading zero byte", ALICE.did.replace("key:z", "key:z1")),
          refuse("white space at the end", `${ALICE.did} `),
          refuse("a fragment", `${ALICE.did}#${ALICE.did.slice(8)}`),
          refuse("a path", `${ALICE.did}/x`),
          refuse("upper case", ALICE.did.toUpperCase()),
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
    ],
  };
}
