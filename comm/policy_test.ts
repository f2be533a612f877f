import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AgentCommMessage, type AgentCommMessageInit } from "./message/message.ts";
import { createVerifier, type VerificationPolicy, type VerifierOptions } from "./policy.ts";
import { proveMessage, verifyProof } from "./proof.ts";
import { ReplayGuard } from "./signing/replay_guard.ts";
import { createSigner, signMessage } from "./signing/signing.ts";
import { createUuidV7 } from "./shared/uuid.ts";
import type { TrustLevel } from "./signing/verify_result.ts";

const ANN = await createSigner({ seed: new Uint8Array(32).fill(1) });
const BOB = await createSigner({ seed: new Uint8Array(32).fill(2) });
const NOW = Date.parse("2026-01-02T03:04:05Z");

function create(init: Partial<AgentCommMessageInit> = {}): AgentCommMessage {
  return new AgentCommMessage({
    sender: ANN.did,
    recipient: BOB.did,
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: null,
    timestamp: new Date(NOW),
    ...init,
  });
}

async function sign(init?: Partial<AgentCommMessageInit>): Promise<AgentCommMessage> {
  return await signMessage(create(init), ANN);
}

async function prove(init?: Partial<AgentCommMessageInit>): Promise<AgentCommMessage> {
  return await proveMessage(create(init), ANN, { created: new Date(NOW) });
}

async function outcomeOf(
  message: AgentCommMessage,
  policy: VerificationPolicy = {},
  options: Partial<VerifierOptions> = {},
): Promise<string> {
  const verifier = createVerifier({
    recipient: BOB.did,
    policy,
    verifyProof,
    now: () => NOW,
    ...options,
  });
  const result = await verifier.verify(message);
  return result.ok ? result.level : result.reason;
}

Deno.test("createVerifier() requires a signature by default", async () => {
  assertEquals(await outcomeOf(await sign()), "signature");
  assertEquals(await outcomeOf(create()), "signature_missing");
  assertEquals(await outcomeOf(create(), { require: "none" }), "none");
  assertEquals(await outcomeOf(await sign(), { require: "proof" }), "proof_missing");
  assertEquals(await outcomeOf(await prove(), { require: "proof" }), "proof");
  assertEquals(await outcomeOf(await prove()), "signature_missing");
});

Deno.test("createVerifier() applies the stricter of the levels for sender and protocol", async () => {
  const protocol = "agent.task.v1";
  const cases: readonly (readonly [VerificationPolicy, string])[] = [
    [{ senders: { [ANN.did]: "none" } }, "none"],
    [{ protocols: { [protocol]: "none" } }, "none"],
    [
      { senders: { [ANN.did]: "none" }, protocols: { [protocol]: "signature" } },
      "signature_missing",
    ],
    [{ senders: { [ANN.did]: "proof" }, protocols: { [protocol]: "none" } }, "proof_missing"],
    [{ require: "none", protocols: { "other.v1": "proof" } }, "none"],
    [{ senders: {}, protocols: {} }, "signature_missing"],
  ];
  for (const [policy, outcome] of cases) {
    assertEquals(await outcomeOf(create(), policy), outcome, JSON.stringify(policy));
  }
  assertEquals(
    await outcomeOf(create({ protocol: "constructor" }), { protocols: {} }),
    "signature_missing",
  );
});

Deno.test("createVerifier() rejects messages with another recipient at every level", async () => {
  const stray = { recipient: ANN.did };
  assertEquals(await outcomeOf(create(stray), { require: "none" }), "recipient_mismatch");
  assertEquals(await outcomeOf(await sign(stray)), "recipient_mismatch");
  assertEquals(await outcomeOf(await prove(stray), { require: "proof" }), "recipient_mismatch");
});

Deno.test("createVerifier() computes the age from the signed id", async () => {
  const at = (ms: number): Partial<AgentCommMessageInit> => ({ timestamp: new Date(ms) });
  assertEquals(await outcomeOf(await sign(at(NOW - 300_000))), "signature");
  assertEquals(await outcomeOf(await sign(at(NOW - 300_001))), "expired");
  assertEquals(await outcomeOf(await sign(at(NOW - 2)), { maxAgeMs: 1 }), "expired");
  assertEquals(await outcomeOf(await sign(at(NOW + 60_000))), "signature");
  assertEquals(await outcomeOf(await sign(at(NOW + 60_001))), "not_yet_valid");
  assertEquals(await outcomeOf(await sign(at(NOW + 2)), { clockSkewMs: 1 }), "not_yet_valid");
  assertEquals(await outcomeOf(await sign(at(0)), { maxAgeMs: Infinity }), "signature");
});

Deno.test("createVerifier() detects a changed timestamp", async () => {
  const old = await sign({ timestamp: new Date(NOW - 3_600_000) });
  const moved = new AgentCommMessage({ ...old, timestamp: new Date(NOW) });
  assertEquals(await outcomeOf(moved), "timestamp_mismatch");
  const id = createUuidV7(NOW);
  assertEquals(await outcomeOf(await sign({ id, timestamp: new Date(NOW - 1000) })), "signature");
  assertEquals(
    await outcomeOf(await sign({ id, timestamp: new Date(NOW - 1001) })),
    "timestamp_mismatch",
  );
});

Deno.test("createVerifier() rejects ids without a time unless a proof covers the timestamp", async () => {
  const id = "919108f7-52d1-4320-9bac-f847db4148a8";
  assertEquals(await outcomeOf(await sign({ id })), "age_unproven");
  assertEquals(await outcomeOf(await sign({ id }), { maxAgeMs: Infinity }), "signature");
  assertEquals(await outcomeOf(await prove({ id }), { require: "proof" }), "proof");
  const old = await prove({ id, timestamp: new Date(NOW - 300_001) });
  assertEquals(await outcomeOf(old, { require: "proof" }), "expired");
});

Deno.test("createVerifier() requires replyTo to match the signed correlationId", async () => {
  const loose = { correlationId: "c", replyTo: "r" };
  assertEquals(await outcomeOf(await sign({ correlationId: "c", replyTo: "c" })), "signature");
  assertEquals(await outcomeOf(await sign({ correlationId: "c" })), "signature");
  assertEquals(await outcomeOf(await sign({ replyTo: "r" })), "reply_mismatch");
  assertEquals(await outcomeOf(await sign(loose)), "reply_mismatch");
  assertEquals(await outcomeOf(await sign(loose), { replyTo: "untrusted" }), "signature");
  assertEquals(await outcomeOf(await prove(loose), { require: "proof" }), "proof");
});

Deno.test("createVerifier() accepts a message once and tracks only authenticated messages", async () => {
  const replayGuard = new ReplayGuard({ now: () => NOW });
  const message = await sign();
  const forged = new AgentCommMessage({ ...message, payload: "forged" });
  const late = { maxAgeMs: 0 };
  assertEquals(await outcomeOf(forged, {}, { replayGuard }), "signature_invalid");
  assertEquals(await outcomeOf(message, late, { replayGuard, now: () => NOW + 1 }), "expired");
  assertEquals(replayGuard.size, 0);
  assertEquals(await outcomeOf(message, {}, { replayGuard }), "signature");
  assertEquals(await outcomeOf(message, {}, { replayGuard }), "replay_detected");
  const other = await sign({ id: message.id, sender: ANN.did, payload: "other" });
  assertEquals(await outcomeOf(other, {}, { replayGuard }), "replay_detected");
  const sameId = await signMessage(create({ id: message.id, sender: BOB.did }), BOB);
  assertEquals(await outcomeOf(sameId, {}, { replayGuard }), "signature");
});

Deno.test("createVerifier() throws if verifyProof is missing or a limit is invalid", () => {
  const recipient = BOB.did;
  for (
    const policy of [
      { require: "proof" },
      { senders: { [ANN.did]: "proof" } },
      { protocols: { x: "proof" } },
    ] satisfies VerificationPolicy[]
  ) {
    assertThrows(() => createVerifier({ recipient, policy }), TypeError);
  }
  assertThrows(() => createVerifier({ recipient, policy: { maxAgeMs: -1 } }), RangeError);
  assertThrows(() => createVerifier({ recipient, policy: { clockSkewMs: NaN } }), RangeError);
});

Deno.test("createVerifier() uses the given resolver, relationship and signal", async () => {
  const controller = new AbortController();
  const seen: (AbortSignal | undefined)[] = [];
  const verifier = createVerifier({
    recipient: BOB.did,
    relationship: "assertionMethod",
    now: () => NOW,
    resolver: {
      resolve: (did, options) => {
        seen.push(options?.signal);
        const id = `${did}#k`;
        const publicKeyMultibase = ANN.did.slice("did:key:".length);
        const method = { id, type: "Multikey", controller: did, publicKeyMultibase };
        return Promise.resolve({
          didDocument: { id: did, assertionMethod: [method] },
          didResolutionMetadata: {},
          didDocumentMetadata: {},
        });
      },
    },
  });
  const result = await verifier.verify(await sign(), { signal: controller.signal });
  assert(result.ok);
  assertEquals(seen, [controller.signal]);
  controller.abort(new Error("enough"));
  const message = await sign();
  await assertRejects(
    () => verifier.verify(message, { signal: controller.signal }),
    Error,
    "enough",
  );
});

Deno.test("createVerifier() rejects a replay guard whose ttlMs is too short", () => {
  const replayGuard = new ReplayGuard({ ttlMs: 1000 });
  const create = (policy: VerificationPolicy) =>
    createVerifier({ recipient: "did:web:bob.example", policy, replayGuard });
  assertThrows(() => create({}), RangeError, "replayGuard.ttlMs");
  assertThrows(() => create({ maxAgeMs: 900, clockSkewMs: 101 }), RangeError, "replayGuard.ttlMs");
  create({ maxAgeMs: 900, clockSkewMs: 100 });
  create({ maxAgeMs: Infinity });
});

Deno.test("createVerifier() rejects unknown trust levels and a missing recipient", () => {
  const recipient = BOB.did;
  const policies: readonly unknown[] = [
    { require: "Signature" },
    { require: null },
    { senders: { [ANN.did]: "constructor" } },
    { protocols: { "agent.task.v1": undefined } },
  ];
  for (const policy of policies) {
    const options = Object.assign({ recipient }, { policy });
    assertThrows(() => Reflect.apply(createVerifier, undefined, [options]), TypeError, "level");
  }
  assertThrows(() => Reflect.apply(createVerifier, undefined, [{}]), TypeError, "recipient");
});

Deno.test("createVerifier() reads its policy once", async () => {
  const senders: Record<string, TrustLevel> = { [ANN.did]: "proof" };
  const verifier = createVerifier({ recipient: BOB.did, policy: { senders }, verifyProof });
  senders[ANN.did] = "none";
  const result = await verifier.verify(create());
  assertEquals(result.ok || result.reason, "proof_missing");
});

Deno.test('createVerifier() accepts any replyTo only if policy.replyTo is exactly "untrusted"', async () => {
  const policy = Object.assign({}, JSON.parse('{ "replyTo": "Bound" }'));
  assertEquals(await outcomeOf(await sign({ replyTo: "0" }), policy), "reply_mismatch");
});

Deno.test("createVerifier() returns a verifier that ignores changes made to the message after the call", async () => {
  const replayGuard = new ReplayGuard();
  const signed = await sign();
  const like = Object.assign(Object.create(AgentCommMessage.prototype), signed);
  const deciding = outcomeOf(like, {}, { replayGuard });
  like.id = createUuidV7(NOW);
  assertEquals(await deciding, "signature");
  assertEquals(await outcomeOf(signed, {}, { replayGuard }), "replay_detected");
});

Deno.test("createVerifier() rejects a replay for as long as the message would be accepted", async () => {
  let now = NOW - 60_000;
  const replayGuard = new ReplayGuard({ ttlMs: 360_000, now: () => now });
  const options = { replayGuard, now: () => now };
  const signed = await sign();
  assertEquals(await outcomeOf(signed, {}, options), "signature");
  now = NOW + 300_000;
  assertEquals(await outcomeOf(signed, {}, options), "replay_detected");
  now++;
  assertEquals(await outcomeOf(signed, {}, options), "expired");
});
