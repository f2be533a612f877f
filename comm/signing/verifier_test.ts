import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import type { AgentCommMessageInit } from "../message/message_members.ts";
import {
  createVerifier,
  type ReplayStore,
  type VerificationPolicy,
  type VerifierOptions,
} from "../policy.ts";
import { proveMessage, verifyProof } from "../proof.ts";
import { ReplayGuard } from "./replay_guard.ts";
import { createSigner, signMessage } from "./signing.ts";
import { createUuidV7 } from "../shared/uuid.ts";
import type { TrustLevel } from "./verify_result.ts";
import { didKeyResolver } from "../did/key.ts";
import { createSuccess, type Resolvable } from "../did/resolver.ts";
import { formatTimestamp } from "../shared/timestamp.ts";

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
  assertEquals(seen.map((signal) => signal?.aborted), [false]);
  controller.abort(new Error("enough"));
  const message = await sign();
  await assertRejects(
    () => verifier.verify(message, { signal: controller.signal }),
    Error,
    "enough",
  );
});

Deno.test("createVerifier() checks the validity of keys with its clock at every level", async () => {
  const publicKeyMultibase = ANN.did.slice("did:key:".length);
  const method = { id: ANN.keyId, type: "Multikey", controller: ANN.did, publicKeyMultibase };
  const expires = formatTimestamp(NOW + 1000);
  const document = { id: ANN.did, authentication: [{ ...method, expires }] };
  const resolver: Resolvable = { resolve: () => Promise.resolve(createSuccess(document)) };
  const cases = [["signature", await sign()], ["proof", await prove()]] as const;
  for (const [level, message] of cases) {
    for (const [nowMs, outcome] of [[NOW, level], [NOW + 1000, "key_expired"]] as const) {
      const options = { resolver, now: () => nowMs };
      assertEquals(await outcomeOf(message, { require: level }, options), outcome);
    }
  }
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

/** Returns the message of the error that `createVerifier` throws for options of any type. */
function refusalOf(options: object): string {
  const create = () =>
    Reflect.apply(createVerifier, undefined, [{ recipient: BOB.did, ...options }]);
  return assertThrows(create, TypeError).message;
}

Deno.test("createVerifier() rejects unknown names and values in a policy, and suggests the nearest", () => {
  const levels = 'must be "none", "signature", "proof" or "reject", got';
  const table: readonly (readonly [unknown, string])[] = [
    [{ require: "singature" }, `"policy.require" ${levels} "singature"; did you mean "signature"?`],
    [{ require: "Proof" }, `"policy.require" ${levels} "Proof"; did you mean "proof"?`],
    [{ require: null }, `"policy.require" ${levels} null`],
    [{ senders: { [ANN.did]: "rejected" } }, `${levels} "rejected"; did you mean "reject"?`],
    [{ senders: { [ANN.did]: "constructor" } }, `${levels} "constructor"`],
    [{ senders: { [ANN.did]: undefined } }, `${levels} undefined`],
    [
      { protocols: { "agent.task.v1": undefined } },
      `"policy.protocols[agent.task.v1]" ${levels} undefined`,
    ],
    [{ senders: { ann: "reject" } }, '"policy.senders" must be keyed by DIDs, got "ann"'],
    [{ senders: new Map() }, '"policy.senders" must be a plain object, got an instance of Map'],
    [{ senders: [ANN.did] }, '"policy.senders" must be an object, got an array'],
    [{ protocols: null }, '"policy.protocols" must be an object, got null'],
    [
      { replyTo: "Bound" },
      '"policy.replyTo" must be "bound" or "untrusted", got "Bound"; did you mean "bound"?',
    ],
    [
      { maxAge: 1000 },
      '"policy" must have only known options, got "maxAge"; did you mean "maxAgeMs"?',
    ],
    [
      { sender: { [ANN.did]: "reject" } },
      '"policy" must have only known options, got "sender"; did you mean "senders"?',
    ],
    [null, '"policy" must be an object, got null'],
    ["signature", '"policy" must be an object, got "signature"'],
  ];
  for (const [policy, message] of table) {
    const actual = refusalOf({ policy });
    assert(actual.endsWith(message), actual);
  }
});

Deno.test("createVerifier() rejects a check of the wrong type instead of skipping the check", () => {
  const names = ["allow", "replayGuard", "resolver", "relationship", "verifyProof", "now"];
  for (const name of names) {
    for (const value of [null, false, 0, ""]) {
      const message = refusalOf({ [name]: value });
      assert(message.startsWith(`"${name}" must be `), message);
    }
  }
  assertEquals(
    refusalOf({ relationship: "verificationMethod" }),
    '"relationship" must be "authentication" or "assertionMethod", got "verificationMethod"',
  );
});

Deno.test("createVerifier() rejects a misspelled check, also in a variable", () => {
  const refused = (name: string, near: string) => {
    assertEquals(
      refusalOf({ [name]: () => false }),
      `"options" must have only known options, got "${name}"; did you mean "${near}"?`,
    );
  };
  refused("allowed", "allow");
  refused("replayguard", "replayGuard");
  refused("recipent", "recipient");
  refused("polcy", "policy");
});

Deno.test("createVerifier() accepts messages for any recipient only if recipient is any", async () => {
  const message = await sign({ recipient: ANN.did });
  assertEquals(await outcomeOf(message), "recipient_mismatch");
  assertEquals(await outcomeOf(message, {}, { recipient: "any" }), "signature");
  const proven = await prove({ recipient: ANN.did });
  assertEquals(await outcomeOf(proven, { require: "proof" }), "recipient_mismatch");
  assertEquals(await outcomeOf(proven, { require: "proof" }, { recipient: "any" }), "proof");
});

Deno.test("createVerifier() rejects a list of senders without effect", () => {
  const create = (policy: VerificationPolicy): unknown =>
    createVerifier({ recipient: BOB.did, policy, verifyProof });
  const protocol = "agent.task.v1";
  const senders = { [ANN.did]: "signature" } as const;
  for (
    const policy of [
      { senders },
      { require: "none", senders: { [ANN.did]: "none" } },
      { senders, protocols: { [protocol]: "proof" } },
      { senders, protocols: { [protocol]: "signature" } },
    ] satisfies VerificationPolicy[]
  ) {
    assertThrows(() => create(policy), TypeError, 'set "policy.require" to "reject"');
  }
  create({ require: "reject", senders });
  create({ require: "reject", senders: { [ANN.did]: "reject" } });
  create({ senders: {} });
  create({ senders: { ...senders, [BOB.did]: "reject" } });
  create({ senders, protocols: { [protocol]: "none" } });
});

Deno.test("createVerifier() reads its policy once", async () => {
  const senders: Record<string, TrustLevel> = { [ANN.did]: "proof" };
  const now = () => NOW;
  const verifier = createVerifier({ recipient: BOB.did, policy: { senders }, verifyProof, now });
  senders[ANN.did] = "none";
  const result = await verifier.verify(create());
  assertEquals(result.ok || result.reason, "proof_missing");
});

Deno.test('createVerifier() accepts any replyTo only if policy.replyTo is "untrusted"', async () => {
  const message = await sign({ replyTo: "0" });
  for (const policy of [{}, { replyTo: "bound" }] satisfies VerificationPolicy[]) {
    assertEquals(await outcomeOf(message, policy), "reply_mismatch");
  }
  assertEquals(await outcomeOf(message, { replyTo: "untrusted" }), "signature");
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

/** Creates a replay store whose `begin` calls the given function. */
function storeOf(begin: () => unknown): ReplayStore {
  return Object.assign({ ttlMs: 600_000, commit: () => {}, abort: () => {} }, {
    begin: begin as ReplayStore["begin"],
  });
}

Deno.test("createVerifier() admits a message only if begin() of the replay store returns exactly true", async () => {
  const message = await sign();
  const cases: readonly (readonly [unknown, string])[] = [
    [true, "signature"],
    [Promise.resolve(true), "signature"],
    [false, "replay_detected"],
    [Promise.resolve(false), "replay_detected"],
    ["full", "replay_guard_full"],
    [Promise.resolve("full"), "replay_guard_full"],
    [undefined, "replay_store_failed"],
    [null, "replay_store_failed"],
    ["OK", "replay_store_failed"],
    [1, "replay_store_failed"],
    [{ ok: true }, "replay_store_failed"],
  ];
  for (const [answer, outcome] of cases) {
    const replayGuard = storeOf(() => answer);
    assertEquals(await outcomeOf(message, {}, { replayGuard }), outcome, String(answer));
  }
});

Deno.test("createVerifier() rejects a message with replay_store_failed and the cause if the store fails", async () => {
  const cause = new Error("connection lost");
  const fail = () => {
    throw cause;
  };
  const now = () => NOW;
  const working = storeOf(() => true);
  const stores: readonly (readonly [ReplayStore, string])[] = [
    [storeOf(fail), "begin"],
    [storeOf(() => Promise.reject(cause)), "begin"],
    [{ ...working, commit: fail }, "commit"],
    [{ ...working, commit: () => Promise.reject(cause), abort: fail }, "commit"],
  ];
  for (const [replayGuard, method] of stores) {
    const verifier = createVerifier({ recipient: BOB.did, now, replayGuard });
    const result = await verifier.verify(await sign());
    assert(!result.ok && result.error.is("replay_store_failed"));
    assertEquals(result.error.details.method, method);
    assertEquals(result.error.cause, cause);
  }
});

Deno.test("createVerifier() releases the id if the replay store cannot commit", async () => {
  const guard = new ReplayGuard({ now: () => NOW });
  let failures = 1;
  const replayGuard: ReplayStore = {
    ttlMs: guard.ttlMs,
    begin: (sender, id, untilMs) => guard.begin(sender, id, untilMs),
    commit: (...args) => failures-- > 0 ? Promise.reject(new Error("lost")) : guard.commit(...args),
    abort: (...args) => guard.abort(...args),
  };
  const message = await sign();
  assertEquals(await outcomeOf(message, {}, { replayGuard }), "replay_store_failed");
  assertEquals(await outcomeOf(message, {}, { replayGuard }), "signature");
  assertEquals(await outcomeOf(message, {}, { replayGuard }), "replay_detected");
});

Deno.test("createVerifier() rejects an invalid replay store and an invalid allow", () => {
  const recipient = BOB.did;
  const { begin, commit, abort, ttlMs } = storeOf(() => true);
  const stores: readonly (readonly [unknown, string])[] = [
    [{ ttlMs, accept: () => true }, '"replayGuard.begin"'],
    [{ ttlMs, begin, abort }, '"replayGuard.commit"'],
    [{ ttlMs, begin, commit }, '"replayGuard.abort"'],
    [{ begin, commit, abort }, '"replayGuard.ttlMs"'],
  ];
  for (const [replayGuard, name] of stores) {
    const create = () => Reflect.apply(createVerifier, undefined, [{ recipient, replayGuard }]);
    assertThrows(create, TypeError, name);
  }
  const create = () => Reflect.apply(createVerifier, undefined, [{ recipient, allow: true }]);
  assertThrows(create, TypeError, '"allow" must be a function, got true');
  const replayGuard = { begin, commit, abort, ttlMs: NaN };
  for (const maxAgeMs of [1000, Infinity]) {
    const options = { recipient, replayGuard, policy: { maxAgeMs } };
    assertThrows(() => createVerifier(options), RangeError, '"replayGuard.ttlMs"');
  }
});

Deno.test("two verifiers that share a replay store accept a message once", async () => {
  const rows = new Set<string>();
  const replayGuard: ReplayStore = {
    ttlMs: 600_000,
    begin: async (sender, id) => {
      await Promise.resolve();
      const key = `${sender} ${id}`;
      return !rows.has(key) && rows.add(key).has(key);
    },
    commit: () => Promise.resolve(),
    abort: async (sender, id) => {
      await Promise.resolve();
      rows.delete(`${sender} ${id}`);
    },
  };
  const message = await sign();
  const outcomes = await Promise.all([
    outcomeOf(message, {}, { replayGuard }),
    outcomeOf(message, {}, { replayGuard }),
  ]);
  assertEquals(outcomes.sort(), ["replay_detected", "signature"]);
});

Deno.test("MessageVerifier.begin() accepts a redelivery after abort() and rejects one after commit()", async () => {
  const replayGuard = new ReplayGuard({ now: () => NOW });
  const verifier = createVerifier({ recipient: BOB.did, replayGuard, now: () => NOW });
  const message = await sign();

  const failed = await verifier.begin(message);
  assert(failed.ok);
  assertEquals([failed.level, failed.covered.length], ["signature", 7]);
  const concurrent = await verifier.begin(message);
  assert(!concurrent.ok && concurrent.error.is("replay_detected"));
  assertEquals(concurrent.error.details.isReserved, true);
  await failed.abort();

  const redelivered = await verifier.begin(message);
  assert(redelivered.ok);
  // The reservation of the first delivery is settled, so aborting it again does not affect the
  // second delivery.
  await failed.abort();
  await redelivered.commit();
  await redelivered.abort();

  const replayed = await verifier.begin(message);
  assert(!replayed.ok && replayed.error.is("replay_detected"));
  assertEquals(replayed.error.details.isReserved, undefined);
});

Deno.test("a reservation can be committed again after the replay store has failed", async () => {
  let failures = 1;
  const calls: string[] = [];
  const replayGuard: ReplayStore = {
    ...storeOf(() => true),
    commit: (sender, id) => {
      calls.push(`${sender} ${id}`);
      if (failures-- > 0) throw new Error("lost");
    },
  };
  const verifier = createVerifier({ recipient: BOB.did, replayGuard, now: () => NOW });
  const message = await sign();
  const reserved = await verifier.begin(message);
  assert(reserved.ok);
  await assertRejects(() => reserved.commit(), Error, 'Cannot track message: "commit"');
  await reserved.commit();
  await reserved.commit();
  assertEquals(calls, [`${ANN.did} ${message.id}`, `${ANN.did} ${message.id}`]);
});

Deno.test("MessageVerifier.begin() without a replay store, or at level none, reserves nothing", async () => {
  const replayGuard = new ReplayGuard();
  const now = () => NOW;
  const verifiers = [
    createVerifier({ recipient: BOB.did, now }),
    createVerifier({ recipient: BOB.did, now, policy: { require: "none" }, replayGuard }),
  ];
  for (const verifier of verifiers) {
    const reserved = await verifier.begin(await sign());
    assert(reserved.ok);
    await reserved.abort();
    await reserved.commit();
  }
  assertEquals(replayGuard.size, 0);
});

Deno.test("createVerifier() passes the end of the message's validity to the replay store", async () => {
  const ends: number[] = [];
  const replayGuard: ReplayStore = {
    ...storeOf(() => true),
    begin: (_sender, _id, untilMs) => ends.push(untilMs) > 0,
  };
  await outcomeOf(await sign({ timestamp: new Date(NOW - 1000) }), {}, { replayGuard });
  await outcomeOf(await sign(), { maxAgeMs: 540_000, clockSkewMs: 60_000 }, { replayGuard });
  await outcomeOf(await sign(), { maxAgeMs: Infinity }, { replayGuard });
  assertEquals(ends, [NOW - 1000 + 360_000, NOW + 600_000, NOW + 600_000]);
});

Deno.test("MessageVerifier.verify() rejects if its signal aborts while the replay store does not respond", async () => {
  const aborted = Promise.withResolvers<string>();
  const gate = Promise.withResolvers<boolean>();
  const called = Promise.withResolvers<AbortSignal | undefined>();
  const replayGuard: ReplayStore = {
    ...storeOf(() => true),
    begin: (_sender, _id, _untilMs, options) => {
      called.resolve(options?.signal);
      return gate.promise;
    },
    abort: (_sender, id) => aborted.resolve(id),
  };
  const controller = new AbortController();
  const verifier = createVerifier({ recipient: BOB.did, replayGuard, now: () => NOW });
  const message = await sign();
  const verifying = verifier.verify(message, { signal: controller.signal });
  const signal = await called.promise;
  controller.abort(new Error("enough"));
  await assertRejects(() => verifying, Error, "enough");
  assertEquals(signal?.reason, controller.signal.reason);
  // The store reserves the id after the caller has stopped waiting, so the id is released.
  gate.resolve(true);
  assertEquals(await aborted.promise, message.id);
});

Deno.test("MessageVerifier.verify() rejects if its signal aborts while allow or commit does not respond", async () => {
  const never = new Promise<never>(() => {});
  const waits: readonly ((reached: () => void) => Partial<VerifierOptions>)[] = [
    (reached) => ({ allow: () => (reached(), never) }),
    (reached) => ({ replayGuard: { ...storeOf(() => true), commit: () => (reached(), never) } }),
  ];
  for (const options of waits) {
    const controller = new AbortController();
    const verifier = createVerifier({
      recipient: BOB.did,
      now: () => NOW,
      ...options(() => controller.abort(new Error("enough"))),
    });
    const message = await sign();
    const verifying = verifier.verify(message, { signal: controller.signal });
    await assertRejects(() => verifying, Error, "enough");
  }
});

Deno.test("createVerifier() with the level reject accepts only senders that the policy names", async () => {
  const protocol = "agent.task.v1";
  const cases: readonly (readonly [VerificationPolicy, string])[] = [
    [{ require: "reject" }, "sender_refused"],
    [{ require: "reject", senders: { [ANN.did]: "signature" } }, "signature"],
    [{ require: "reject", senders: { [BOB.did]: "signature" } }, "sender_refused"],
    [{ require: "reject", protocols: { [protocol]: "none" } }, "sender_refused"],
    [{ require: "reject", protocols: { [protocol]: "signature" } }, "sender_refused"],
    [{ senders: { [ANN.did]: "reject" } }, "sender_refused"],
    [{ senders: { [ANN.did]: "reject" }, protocols: { [protocol]: "none" } }, "sender_refused"],
    [{ protocols: { [protocol]: "reject" } }, "sender_refused"],
    [{ senders: { [ANN.did]: "none" }, protocols: { [protocol]: "reject" } }, "sender_refused"],
    [
      { require: "reject", senders: { [ANN.did]: "none" }, protocols: { [protocol]: "signature" } },
      "signature",
    ],
    [
      { require: "reject", senders: { [ANN.did]: "signature" }, protocols: { [protocol]: "none" } },
      "signature",
    ],
  ];
  for (const [policy, outcome] of cases) {
    assertEquals(await outcomeOf(await sign(), policy), outcome, JSON.stringify(policy));
  }
});

Deno.test("createVerifier() admits a message only if allow returns exactly true", async () => {
  const message = await sign();
  const cases: readonly (readonly [unknown, string])[] = [
    [true, "signature"],
    [Promise.resolve(true), "signature"],
    [false, "sender_refused"],
    [Promise.resolve(false), "sender_refused"],
    [undefined, "sender_refused"],
    ["yes", "sender_refused"],
    [1, "sender_refused"],
  ];
  for (const [answer, outcome] of cases) {
    const allow = (() => answer) as NonNullable<VerifierOptions["allow"]>;
    assertEquals(await outcomeOf(message, {}, { allow }), outcome, String(answer));
  }
  const cause = new Error("no directory");
  const verifier = createVerifier({
    recipient: BOB.did,
    now: () => NOW,
    allow: () => Promise.reject(cause),
  });
  const result = await verifier.verify(message);
  assert(!result.ok && result.error.is("sender_refused"));
  assertEquals(result.error.cause, cause);
});

Deno.test("createVerifier() calls allow with verified messages only, before the replay store", async () => {
  const calls: string[] = [];
  const replayGuard = storeOf(() => {
    calls.push("begin");
    return true;
  });
  const allow: NonNullable<VerifierOptions["allow"]> = ({ sender }, { level }) => {
    calls.push(`allow ${level}`);
    return sender === ANN.did;
  };
  const forged = new AgentCommMessage({ ...await sign(), payload: "forged" });
  assertEquals(await outcomeOf(forged, {}, { allow, replayGuard }), "signature_invalid");
  assertEquals(calls, []);
  const other = await signMessage(create({ sender: BOB.did }), BOB);
  assertEquals(await outcomeOf(other, {}, { allow, replayGuard }), "sender_refused");
  assertEquals(await outcomeOf(await sign(), {}, { allow, replayGuard }), "signature");
  assertEquals(calls, ["allow signature", "allow signature", "begin"]);
});

Deno.test("createVerifier() checks sender, protocol, recipient, age and replyTo before it resolves the sender", async () => {
  let resolutions = 0;
  const resolver = {
    resolve: (did: string) => {
      resolutions++;
      return didKeyResolver.resolve(did);
    },
  };
  const old = new Date(NOW - 3_600_000);
  const forge = (init: Partial<AgentCommMessageInit>, index: number) =>
    create({ sender: `did:web:victim.example:${index}`, signature: "A".repeat(86), ...init });
  for (let index = 0; index < 50; index++) {
    const forged = forge({ timestamp: old }, index);
    assertEquals(await outcomeOf(forged, {}, { resolver }), "expired");
  }
  const cases: readonly (readonly [Partial<AgentCommMessageInit>, VerificationPolicy, string])[] = [
    [{ timestamp: new Date(NOW + 3_600_000) }, {}, "not_yet_valid"],
    [{ id: "1" }, {}, "age_unproven"],
    [{ id: createUuidV7(NOW - 5000) }, {}, "timestamp_mismatch"],
    [{ replyTo: "x" }, {}, "reply_mismatch"],
    [{ recipient: ANN.did }, {}, "recipient_mismatch"],
    [{}, { require: "reject" }, "sender_refused"],
    [{}, { protocols: { "agent.task.v1": "reject" } }, "sender_refused"],
    [{ timestamp: old }, { require: "proof" }, "expired"],
  ];
  for (const [init, policy, outcome] of cases) {
    assertEquals(await outcomeOf(forge(init, 0), policy, { resolver }), outcome);
  }
  assertEquals(resolutions, 0);
  assertEquals(await outcomeOf(await sign(), {}, { resolver }), "signature");
  assertEquals(resolutions, 1);
});

Deno.test("createVerifier() checks the age again after the sender has been resolved", async () => {
  let now = NOW;
  const resolver = {
    resolve: (did: string) => {
      now += 400_000;
      return didKeyResolver.resolve(did);
    },
  };
  const replayGuard = new ReplayGuard({ now: () => now });
  const outcome = await outcomeOf(await sign(), {}, { resolver, replayGuard, now: () => now });
  assertEquals([outcome, replayGuard.size], ["expired", 0]);
});

Deno.test("createVerifier() throws if maxAgeMs or clockSkewMs is not a number", () => {
  for (const name of ["maxAgeMs", "clockSkewMs"]) {
    for (const value of ["300000", null, [5], NaN]) {
      const policy: VerificationPolicy = JSON.parse(`{"require":"signature"}`);
      Reflect.set(policy, name, value);
      const create = () => createVerifier({ recipient: BOB.did, policy });
      assertThrows(create, RangeError, `"policy.${name}" must be a non-negative number`);
    }
  }
});

Deno.test("createVerifier() accepts no message if the clock of its replay guard is invalid", async () => {
  const replayGuard = new ReplayGuard({ now: () => NaN });
  assertEquals(
    await outcomeOf(await sign(), { maxAgeMs: Infinity }, { replayGuard }),
    "replay_store_failed",
  );
});

Deno.test("MessageVerifier.verify() rejects if its signal aborts while abort() of the store does not respond", async () => {
  const aborting = Promise.withResolvers<void>();
  const replayGuard: ReplayStore = {
    ttlMs: 600_000,
    begin: () => true,
    commit: () => Promise.reject(new Error("connection lost")),
    abort: () => {
      aborting.resolve();
      return new Promise(() => {});
    },
  };
  const verifier = createVerifier({ recipient: BOB.did, replayGuard, now: () => NOW });
  const controller = new AbortController();
  const verifying = verifier.verify(await sign(), { signal: controller.signal });
  await aborting.promise;
  controller.abort(new Error("stopped"));
  await assertRejects(() => verifying, Error, "stopped");
});

Deno.test("verify() with replays accept neither calls nor fills the replay store", async () => {
  const signed = await sign();
  const guard = new ReplayGuard({ maxEntries: 1, now: () => NOW });
  const options = { recipient: BOB.did, replayGuard: guard, now: () => NOW };
  const verifier = createVerifier(options);
  for (let count = 0; count < 3; count++) {
    assert((await verifier.verify(signed, { replays: "accept" })).ok);
    assert((await verifier.begin(signed, { replays: "accept" })).ok);
  }
  assertEquals(guard.size, 0);
  assert((await verifier.verify(signed)).ok);
  assert(!(await verifier.verify(signed)).ok);
  assert((await verifier.verify(signed, { replays: "accept" })).ok);
});

Deno.test("a verifier has its recipient, and states whether it rejects replays", () => {
  const { recipient, rejectsReplays } = createVerifier({ recipient: BOB.did });
  assertEquals([recipient, rejectsReplays], [BOB.did, false]);
  const replayGuard = new ReplayGuard();
  assertEquals(createVerifier({ recipient: "any", replayGuard }).rejectsReplays, true);
});

Deno.test("MessageVerifier.verify() rejects replays for as long as the message is accepted, whatever clock the store has", async () => {
  const message = await sign();
  const accepted = { startMs: NOW - 60_000, endMs: NOW + 300_000 };
  for (const offsetMs of [-3_600_000, -240_000, 240_000, 3_600_000]) {
    let nowMs = accepted.startMs;
    const replayGuard = new ReplayGuard({ now: () => nowMs + offsetMs });
    const verifier = createVerifier({ recipient: BOB.did, replayGuard, now: () => nowMs });
    assert((await verifier.verify(message)).ok);
    for (; nowMs <= accepted.endMs; nowMs += 30_000) {
      const replayed = await verifier.verify(message);
      assertEquals(replayed.ok || replayed.reason, "replay_detected", `${offsetMs} ${nowMs}`);
    }
    const late = await verifier.verify(message);
    assertEquals(late.ok || late.reason, "expired");
  }
});

Deno.test("createVerifier() rejects a message if its clock throws or is invalid", async () => {
  const clocks = [undefined, null, NaN, Infinity, -Infinity, String(NOW), Promise.resolve(NOW)];
  const infinitePast = { timestamp: new Date(0), id: createUuidV7(0) };
  const messages = [
    await sign(),
    await sign({ timestamp: new Date(NOW * 2) }),
    await sign(infinitePast),
    await prove(),
  ];
  for (const message of messages) {
    const require = message.signature === undefined ? "proof" : "signature";
    for (const maxAgeMs of [300_000, Infinity]) {
      const policy = { require, maxAgeMs } as const;
      for (const value of clocks) {
        // The types do not permit some results, but programs in JavaScript can return them.
        const now = () => value as number;
        await assertRejects(() => outcomeOf(message, policy, { now }), TypeError, '"now()"');
      }
      const now = () => {
        throw new Error("no clock");
      };
      await assertRejects(() => outcomeOf(message, policy, { now }), Error, "no clock");
    }
  }
});
