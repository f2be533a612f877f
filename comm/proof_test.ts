import { assert, assertEquals, assertRejects } from "@std/assert";
import { CommError } from "./shared/error.ts";
import type { JsonObject, JsonValue } from "./shared/json.ts";
import { isJsonObject } from "./shared/json.ts";
import { AgentCommMessage } from "./message/message.ts";
import type { AgentCommMessageInit } from "./message/message_members.ts";
import { formatMessage, parseMessage } from "./message/message_json.ts";
import { proveMessage, verifyProof, type VerifyProofOptions } from "./proof.ts";
import { createSigner, signMessage } from "./signing/signing.ts";

const ANN = await createSigner({ seed: new Uint8Array(32).fill(1) });
const BOB = await createSigner({ seed: new Uint8Array(32).fill(2) });
const NOW = Date.parse("2026-01-02T03:04:05Z");
const OPTIONS: VerifyProofOptions = { recipient: "any", now: () => NOW };

const MESSAGE = new AgentCommMessage({
  id: "1",
  replyTo: "0",
  sender: ANN.did,
  recipient: BOB.did,
  protocol: "agent.task.v1",
  messageType: "task_assign",
  payload: { n: 1 },
  timestamp: "2026-01-02T03:04:05.123456789Z",
  extensions: { ttl: 5 },
});

async function prove(message: AgentCommMessage, options = {}): Promise<AgentCommMessage> {
  return await proveMessage(message, ANN, { created: new Date(NOW), ...options });
}

async function reasonOf(message: AgentCommMessage, options = {}): Promise<string> {
  const result = await verifyProof(message, { ...OPTIONS, ...options });
  return result.ok ? "ok" : result.reason;
}

function change(message: AgentCommMessage, init: Partial<AgentCommMessageInit>): AgentCommMessage {
  return new AgentCommMessage({ ...message, ...init });
}

function changeProof(message: AgentCommMessage, members: JsonObject): AgentCommMessage {
  const { proof } = message.extensions;
  assert(isJsonObject(proof));
  return change(message, {
    extensions: { ...message.extensions, proof: { ...proof, ...members } },
  });
}

Deno.test("verifyProof() returns the key id and the names of all members", async () => {
  const proven = await prove(await signMessage(MESSAGE, ANN));
  const result = await verifyProof(proven, { ...OPTIONS, recipient: BOB.did });
  assertEquals(result, {
    ok: true,
    level: "proof",
    keyId: ANN.keyId,
    covered: [
      "id",
      "replyTo",
      "sender",
      "recipient",
      "protocol",
      "messageType",
      "payload",
      "signature",
      "timestamp",
      "ttl",
    ],
  });
});

Deno.test("verifyProof() accepts a reformatted message with extensions", async () => {
  const proven = await prove(change(MESSAGE, { extensions: { "@context": "urn:x", ttl: 5 } }));
  const pretty = JSON.stringify(JSON.parse(formatMessage(proven)), null, 2);
  assertEquals(await reasonOf(parseMessage(pretty)), "ok");
});

Deno.test("verifyProof() detects a change to any member", async () => {
  const proven = await prove(await signMessage(MESSAGE, ANN));
  const changes: readonly Partial<AgentCommMessageInit>[] = [
    { id: "2" },
    { correlationId: "c" },
    { replyTo: "other" },
    { replyTo: undefined },
    { protocol: "agent.task.v2" },
    { messageType: "task_result" },
    { payload: null },
    { signature: undefined },
    { timestamp: "2026-01-02T03:04:05.123Z" },
    { extensions: { ...proven.extensions, ttl: 6 } },
    { extensions: { ...proven.extensions, extra: true } },
  ];
  for (const init of changes) assertEquals(await reasonOf(change(proven, init)), "proof_invalid");
  assertEquals(await reasonOf(change(proven, { recipient: ANN.did })), "proof_invalid");
  assertEquals(await reasonOf(change(proven, { sender: BOB.did })), "key_not_found");
});

Deno.test("verifyProof() detects a change to the proof", async () => {
  const proven = await prove(MESSAGE, { expires: new Date(NOW + 1000) });
  const changes: readonly JsonObject[] = [
    { created: "2026-01-02T03:04:04Z" },
    { expires: "2027-01-02T03:04:05Z" },
    { created: "yesterday" },
    { type: "Ed25519Signature2020" },
    { cryptosuite: "eddsa-rdfc-2022" },
    { proofPurpose: "assertionMethod" },
    { domain: ANN.did },
    { challenge: "x" },
    { verificationMethod: 5 },
    { proofValue: "z1" },
    { extra: 1 },
    { "@context": "urn:x" },
  ];
  for (const members of changes) {
    assertEquals(
      await reasonOf(changeProof(proven, members)),
      "proof_invalid",
      JSON.stringify(members),
    );
  }
  const foreign = changeProof(proven, { verificationMethod: BOB.keyId });
  assertEquals(await reasonOf(foreign), "key_not_found");
});

Deno.test("verifyProof() rejects a message whose proof is missing or malformed", async () => {
  assertEquals(await reasonOf(MESSAGE), "proof_missing");
  for (const proof of [null, [], "x", [{ type: "DataIntegrityProof" }]]) {
    assertEquals(await reasonOf(change(MESSAGE, { extensions: { proof } })), "proof_invalid");
  }
});

Deno.test("verifyProof() rejects a proof outside its validity period", async () => {
  const expires = new Date(NOW + 1000);
  const proven = await prove(MESSAGE, { expires });
  assertEquals(await reasonOf(proven, { now: () => NOW + 999 }), "ok");
  assertEquals(await reasonOf(proven, { now: () => NOW + 1000 }), "expired");
  assertEquals(await reasonOf(proven, { now: () => NOW - 60_000 }), "ok");
  assertEquals(await reasonOf(proven, { now: () => NOW - 60_001 }), "not_yet_valid");
  assertEquals(await reasonOf(proven, { now: () => NOW - 1, clockSkewMs: 0 }), "not_yet_valid");
});

Deno.test("verifyProof() rejects an unexpected challenge or recipient", async () => {
  const proven = await prove(MESSAGE, { challenge: "7" });
  assertEquals(await reasonOf(proven), "ok");
  assertEquals(await reasonOf(proven, { challenge: "7" }), "ok");
  assertEquals(await reasonOf(proven, { challenge: "8" }), "proof_invalid");
  assertEquals(await reasonOf(await prove(MESSAGE), { challenge: "7" }), "proof_invalid");
  assertEquals(await reasonOf(proven, { recipient: ANN.did }), "recipient_mismatch");
});

Deno.test("proveMessage() replaces a proof and rejects messages from other senders", async () => {
  const again = await prove(await prove(MESSAGE));
  assertEquals(await reasonOf(again), "ok");
  const error = await assertRejects(() => proveMessage(MESSAGE, BOB), CommError);
  assertEquals(error.code, "invalid_argument");
  await assertRejects(() => prove(MESSAGE, { expires: new Date(NaN) }), TypeError);
});

Deno.test("proveMessage() and verifyProof() reject if their signal is aborted", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  await assertRejects(() => prove(MESSAGE, { signal }), Error, "enough");
  await assertRejects(() => verifyProof(MESSAGE, { ...OPTIONS, signal }), Error, "enough");
});

Deno.test("verifyProof() ignores an overridden toJSON()", async () => {
  const proven = await prove(MESSAGE);
  class Liar extends AgentCommMessage {
    override toJSON(): JsonObject {
      return proven.toJSON();
    }
  }
  const liar = new Liar({ ...proven, payload: { n: 2 } });
  assertEquals(await reasonOf(liar), "proof_invalid");
  assertEquals(
    await reasonOf(Object.assign(Object.create(Liar.prototype), liar)),
    "proof_invalid",
  );
});

Deno.test("proveMessage() ignores changes made to the message after the call", async () => {
  const like = Object.assign(Object.create(AgentCommMessage.prototype), MESSAGE);
  const proving = prove(like);
  like.payload = { n: 2 };
  assertEquals(await reasonOf(await proving), "ok");
});

Deno.test("verifyProof() does not report @context as covered if the proof has a different @context", async () => {
  const proven = await prove(change(MESSAGE, { extensions: { "@context": ["urn:x"] } }));
  const longer = change(proven, {
    extensions: { ...proven.extensions, "@context": ["urn:x", "urn:y"] },
  });
  for (const [message, isCovered] of [[proven, true], [longer, false]] as const) {
    const result = await verifyProof(message, OPTIONS);
    assert(result.ok);
    assertEquals(result.covered.includes("@context"), isCovered);
  }
});

function withProofs(message: AgentCommMessage, proofs: readonly JsonValue[]): AgentCommMessage {
  return change(message, { extensions: { ...message.extensions, proof: proofs } });
}

async function createProof(options = {}): Promise<JsonObject> {
  const { proof } = (await prove(MESSAGE, options)).extensions;
  assert(isJsonObject(proof));
  return proof;
}

Deno.test("verifyProof() accepts a proof set if every proof is valid", async () => {
  const proof = await createProof();
  const other = await createProof({ challenge: "c" });
  for (const proofs of [[proof], [proof, other], [other, proof], Array(8).fill(proof)]) {
    const result = await verifyProof(withProofs(MESSAGE, proofs), OPTIONS);
    assert(result.ok);
    assertEquals(result.level, "proof");
    assertEquals(result.covered.includes("proof"), false);
    assertEquals(result.covered.includes("timestamp"), true);
  }
});

Deno.test("verifyProof() rejects a proof set with an invalid proof", async () => {
  const proof = await createProof();
  const old = await createProof({ expires: new Date(NOW) });
  const foreign = { ...proof, verificationMethod: BOB.keyId };
  const cases: [string, readonly JsonValue[]][] = [
    ["proof_invalid", []],
    ["proof_invalid", [[proof]]],
    ["proof_invalid", [proof, null]],
    ["proof_invalid", [proof, { ...proof, created: "2026-01-02T03:04:04Z" }]],
    ["expired", [proof, { ...proof, created: "2026-01-01T00:00:00Z" }]],
    ["proof_invalid", Array(9).fill(proof)],
    ["expired", [proof, old]],
    ["key_not_found", [proof, foreign]],
  ];
  for (const [reason, proofs] of cases) {
    assertEquals(await reasonOf(withProofs(MESSAGE, proofs)), reason);
    assertEquals(await reasonOf(withProofs(MESSAGE, proofs.toReversed())), reason);
  }
});

Deno.test("verifyProof() rejects a proof that belongs to a proof chain", async () => {
  const proof = await createProof();
  const chained = { ...proof, previousProof: "urn:uuid:26329423-bec9-4b2e-88cb-a7c7d9dc4544" };
  assertEquals(await reasonOf(withProofs(MESSAGE, [chained])), "proof_invalid");
  const result = await verifyProof(changeProof(await prove(MESSAGE), chained), OPTIONS);
  assert(!result.ok);
  assertEquals(result.error.message.includes("chains"), true);
});

Deno.test("verifyProof() rejects a proof whose key is revoked or has expired", async () => {
  const proven = await prove(MESSAGE);
  const publicKeyMultibase = ANN.did.slice("did:key:".length);
  const verifyWith = async (members: JsonObject): Promise<string> => {
    const key = {
      id: ANN.keyId,
      type: "Multikey",
      controller: ANN.did,
      publicKeyMultibase,
      ...members,
    };
    const spare = { ...key, id: `${ANN.did}#spare`, revoked: "9999-01-01T00:00:00Z" };
    const didDocument = { id: ANN.did, authentication: [key, spare] };
    const resolver = {
      resolve: () =>
        Promise.resolve({ didDocument, didResolutionMetadata: {}, didDocumentMetadata: {} }),
    };
    return await reasonOf(proven, { resolver });
  };
  assertEquals(await verifyWith({}), "ok");
  assertEquals(await verifyWith({ revoked: "2026-01-02T03:04:05Z" }), "key_revoked");
  assertEquals(await verifyWith({ expires: "2026-01-02T03:04:05Z" }), "key_expired");
  assertEquals(await verifyWith({ expires: "2026-01-02T03:04:06Z" }), "ok");
});

Deno.test("verifyProof() rejects a proof if its clock is invalid", async () => {
  const proven = await prove(MESSAGE, { expires: new Date(NOW + 1000) });
  const early = await proveMessage(MESSAGE, ANN, { created: new Date(NOW * 2) });
  for (const value of [NaN, null, undefined, Infinity, -Infinity, String(NOW)]) {
    for (const message of [proven, early]) {
      await assertRejects(() => reasonOf(message, { now: () => value }), TypeError, '"now()"');
    }
  }
  const undated = changeProof(proven, { created: null });
  assertEquals(await reasonOf(undated, { now: () => NaN }), "proof_invalid");
  const { proof: _removed, ...extensions } = proven.extensions;
  for (const message of [proven, new AgentCommMessage({ ...proven, extensions })]) {
    await assertRejects(() => reasonOf(message, { clockSkewMs: NaN }), RangeError, "clockSkewMs");
  }
});

Deno.test("verifyProof() limits the age of a proof that does not expire", async () => {
  const proven = await prove(MESSAGE);
  const at = (offsetMs: number) => ({ now: () => NOW + offsetMs });
  const yearMs = 365 * 86_400_000;
  assertEquals(await reasonOf(proven, at(300_000)), "ok");
  assertEquals(await reasonOf(proven, at(300_001)), "expired");
  assertEquals(await reasonOf(proven, at(yearMs)), "expired");
  assertEquals(await reasonOf(proven, { ...at(1001), maxAgeMs: 1000 }), "expired");
  assertEquals(await reasonOf(proven, { ...at(yearMs), maxAgeMs: Infinity }), "ok");
  const expiring = await prove(MESSAGE, { expires: new Date(NOW + yearMs) });
  assertEquals(await reasonOf(expiring, at(yearMs - 1)), "ok");
  await assertRejects(() => reasonOf(proven, { maxAgeMs: -1 }), RangeError, '"maxAgeMs"');
});

Deno.test("verifyProof() accepts no proof without created and expires if the clock is invalid", async () => {
  const { proof, ...extensions } = (await prove(MESSAGE)).extensions;
  assert(isJsonObject(proof));
  const { created: _created, ...rest } = proof;
  const undated = change(MESSAGE, { extensions: { ...extensions, proof: rest } });
  for (const maxAgeMs of [300_000, Infinity]) {
    const now = () => NaN;
    await assertRejects(() => reasonOf(undated, { maxAgeMs, now }), TypeError, '"now()"');
  }
});
