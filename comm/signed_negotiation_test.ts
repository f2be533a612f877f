import { assert, assertEquals, assertRejects } from "@std/assert";
import { CommError } from "./shared/error.ts";
import { AgentCommMessage } from "./message/message.ts";
import type { AgentCommMessageInit } from "./message/message_members.ts";
import { createProtocolOffer } from "./negotiation/negotiate.ts";
import {
  acceptOffer,
  NEGOTIATION_PROTOCOL,
  signOffer,
  verifyAcceptance,
} from "./signed_negotiation.ts";
import { ReplayGuard } from "./signing/replay_guard.ts";
import type { ReplayStore } from "./signing/replay_store.ts";
import { generateSigner, type MessageSigner, signMessage } from "./signing/signing.ts";

const [ANN, BOB, EVE] = [await generateSigner(), await generateSigner(), await generateSigner()];
const PROTOCOLS = ["a.b.v2", "a.b.v1"];

async function offerTo(recipient: MessageSigner): Promise<AgentCommMessage> {
  const offer = createProtocolOffer({ offererDid: ANN.did, protocols: PROTOCOLS });
  return await signOffer(offer, recipient.did, { signer: ANN });
}

async function change(
  message: AgentCommMessage,
  init: Partial<AgentCommMessageInit>,
  signer: MessageSigner,
): Promise<AgentCommMessage> {
  return await signMessage(new AgentCommMessage({ ...message, ...init }), signer);
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  return (await assertRejects(work, CommError)).code;
}

Deno.test("verifyAcceptance() returns the acceptance of a signed negotiation", async () => {
  const offer = await offerTo(BOB);
  const answer = await acceptOffer(offer, { supportedProtocols: ["a.b.v1"], signer: BOB });
  const accept = await verifyAcceptance(answer, { offer });
  assertEquals([accept.accepterDid, accept.selectedProtocol], [BOB.did, "a.b.v1"]);
  assertEquals([offer.protocol, offer.messageType], [NEGOTIATION_PROTOCOL, "offer"]);
  assertEquals([answer.protocol, answer.messageType], [NEGOTIATION_PROTOCOL, "accept"]);
});

Deno.test("signOffer() rejects an offer from another agent", async () => {
  const offer = createProtocolOffer({ offererDid: ANN.did, protocols: PROTOCOLS });
  assertEquals(await codeOf(() => signOffer(offer, BOB.did, { signer: EVE })), "invalid_argument");
});

Deno.test("acceptOffer() rejects an offer that was changed in transit", async () => {
  const offer = await offerTo(BOB);
  const weaker = new AgentCommMessage({
    ...offer,
    payload: { offererDid: ANN.did, protocols: ["a.b.v1"], timestamp: offer.timestamp },
  });
  const options = { supportedProtocols: PROTOCOLS, signer: BOB };
  assertEquals(await codeOf(() => acceptOffer(weaker, options)), "signature_invalid");
  const unsigned = new AgentCommMessage({ ...offer, signature: undefined });
  assertEquals(await codeOf(() => acceptOffer(unsigned, options)), "signature_missing");
});

Deno.test("acceptOffer() rejects an offer for another agent and a message without an offer", async () => {
  const options = { supportedProtocols: PROTOCOLS, signer: BOB };
  const stray = await offerTo(EVE);
  assertEquals(await codeOf(() => acceptOffer(stray, options)), "recipient_mismatch");
  const offer = await offerTo(BOB);
  const { timestamp } = offer;
  const wrong: readonly Partial<AgentCommMessageInit>[] = [
    { protocol: "parley.negotiation.v2" },
    { messageType: "accept" },
    { payload: null },
    { payload: { offererDid: EVE.did, protocols: PROTOCOLS, timestamp } },
    { payload: { offererDid: ANN.did, protocols: "a.b.v1", timestamp } },
    { payload: { offererDid: ANN.did, protocols: [5], timestamp } },
    { payload: { offererDid: ANN.did, protocols: PROTOCOLS } },
    { payload: { offererDid: ANN.did, protocols: PROTOCOLS, timestamp: "now" } },
  ];
  for (const init of wrong) {
    const message = await change(offer, init, ANN);
    assertEquals(await codeOf(() => acceptOffer(message, options)), "invalid_message");
  }
});

Deno.test("verifyAcceptance() rejects an acceptance that does not match the offer", async () => {
  const offer = await offerTo(BOB);
  const answer = await acceptOffer(offer, { supportedProtocols: ["a.b.v1"], signer: BOB });
  const { timestamp } = answer;
  const wrong: readonly Partial<AgentCommMessageInit>[] = [
    { correlationId: "other" },
    { messageType: "offer" },
    { payload: { accepterDid: BOB.did, selectedProtocol: "a.b.v3", timestamp } },
    { payload: { accepterDid: EVE.did, selectedProtocol: "a.b.v1", timestamp } },
    { payload: { accepterDid: BOB.did, selectedProtocol: 5, timestamp } },
    { payload: { accepterDid: BOB.did, selectedProtocol: "", timestamp } },
    { payload: [] },
  ];
  for (const init of wrong) {
    const message = await change(answer, init, BOB);
    assertEquals(await codeOf(() => verifyAcceptance(message, { offer })), "invalid_message");
  }
  const byEve = await change(answer, { sender: EVE.did }, EVE);
  assertEquals(await codeOf(() => verifyAcceptance(byEve, { offer })), "invalid_message");
  const forged = new AgentCommMessage({ ...answer, correlationId: "other" });
  assertEquals(await codeOf(() => verifyAcceptance(forged, { offer })), "signature_invalid");
});

Deno.test("verifyAcceptance() does not resolve a sender that is not the recipient of the offer", async () => {
  const offer = await offerTo(BOB);
  const answer = await acceptOffer(offer, { supportedProtocols: ["a.b.v1"], signer: BOB });
  const forged = new AgentCommMessage({ ...answer, sender: "did:web:victim.example" });
  const resolver = { resolve: () => Promise.reject(new Error("resolved")) };
  const verify = () => verifyAcceptance(forged, { offer, resolver });
  assertEquals(await codeOf(verify), "invalid_message");
});

Deno.test("signOffer(), acceptOffer() and verifyAcceptance() reject if their signal is aborted", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  const offer = await offerTo(BOB);
  const plain = createProtocolOffer({ offererDid: ANN.did, protocols: PROTOCOLS });
  const work: readonly (() => Promise<unknown>)[] = [
    () => signOffer(plain, BOB.did, { signer: ANN, signal }),
    () => acceptOffer(offer, { supportedProtocols: PROTOCOLS, signer: BOB, signal }),
    () => verifyAcceptance(offer, { offer, signal }),
  ];
  for (const each of work) await assertRejects(each, Error, "enough");
  assert(signal.aborted);
});

Deno.test("acceptOffer() and verifyAcceptance() ignore changes made to the message after the call", async () => {
  const offer = await offerTo(BOB);
  const like = Object.assign(Object.create(AgentCommMessage.prototype), offer);
  const answering = acceptOffer(like, { supportedProtocols: PROTOCOLS, signer: BOB });
  like.payload = { ...like.payload, protocols: ["a.b.v1"] };
  const answer = await answering;
  const reading = Object.assign(Object.create(AgentCommMessage.prototype), answer);
  const accepting = verifyAcceptance(reading, { offer });
  reading.payload = { ...reading.payload, selectedProtocol: "a.b.v1" };
  assertEquals((await accepting).selectedProtocol, "a.b.v2");
});

Deno.test("acceptOffer() rejects a signer whose DID would accept offers for other recipients", async () => {
  const toEve = await offerTo(EVE);
  for (const did of ["any", "", undefined]) {
    const signer = { did, keyId: BOB.keyId, sign: BOB.sign };
    const options = { supportedProtocols: PROTOCOLS, signer };
    const accepting = async () => await Reflect.apply(acceptOffer, undefined, [toEve, options]);
    await assertRejects(accepting, TypeError, '"signer.did" must be a DID, got ');
  }
  const options = { supportedProtocols: PROTOCOLS, signer: BOB };
  assertEquals(await codeOf(() => acceptOffer(toEve, options)), "recipient_mismatch");
});

const YEAR_MS = 365 * 86_400_000;

Deno.test("acceptOffer() and verifyAcceptance() reject a message that is too old or from the future", async () => {
  const offer = await offerTo(BOB);
  const accepting = { supportedProtocols: PROTOCOLS, signer: BOB };
  const answer = await acceptOffer(offer, accepting);
  const rows: readonly (readonly [number, string])[] = [
    [YEAR_MS, "expired"],
    [302_000, "expired"],
    [-62_000, "not_yet_valid"],
  ];
  for (const [offsetMs, code] of rows) {
    const now = () => Date.now() + offsetMs;
    assertEquals(await codeOf(() => acceptOffer(offer, { ...accepting, now })), code);
    assertEquals(await codeOf(() => verifyAcceptance(answer, { offer, now })), code);
  }
  const unproven = await change(offer, { id: "offer-1" }, ANN);
  assertEquals(await codeOf(() => acceptOffer(unproven, accepting)), "age_unproven");
  const now = () => NaN;
  await assertRejects(() => acceptOffer(offer, { ...accepting, now }), TypeError, '"now()"');
  await assertRejects(() => verifyAcceptance(answer, { offer, now }), TypeError, '"now()"');
});

Deno.test("acceptOffer() and verifyAcceptance() accept older messages with maxAgeMs", async () => {
  const offer = await offerTo(BOB);
  const now = () => Date.now() + YEAR_MS;
  const limits = { now, maxAgeMs: Infinity };
  const accepting = { supportedProtocols: PROTOCOLS, signer: BOB, ...limits };
  const answer = await acceptOffer(offer, accepting);
  assertEquals((await verifyAcceptance(answer, { offer, ...limits })).accepterDid, BOB.did);
  const long = { ...accepting, maxAgeMs: 2 * YEAR_MS };
  await assertRejects(() => acceptOffer(offer, long), RangeError, '"replayGuard.ttlMs"');
});

Deno.test("acceptOffer() accepts an offer once per signer or replay store", async () => {
  const offer = await offerTo(BOB);
  const options = { supportedProtocols: PROTOCOLS, signer: BOB };
  await acceptOffer(offer, options);
  assertEquals(await codeOf(() => acceptOffer(offer, options)), "replay_detected");
  const [toOne, toAnother] = [await offerTo(BOB), await offerTo(BOB)];
  const shared = { ...options, replayGuard: new ReplayGuard() };
  await acceptOffer(toOne, shared);
  assertEquals(await codeOf(() => acceptOffer(toOne, shared)), "replay_detected");
  const answers = [1, 2, 3].map(() => acceptOffer(toAnother, shared));
  const results = await Promise.allSettled(answers);
  const statuses = results.map(({ status }) => status).toSorted();
  assertEquals(statuses, ["fulfilled", "rejected", "rejected"]);
});

Deno.test("acceptOffer() releases an offer that it did not accept", async () => {
  const offer = await offerTo(BOB);
  const options = { supportedProtocols: PROTOCOLS, signer: BOB };
  const unsupported = { ...options, supportedProtocols: [] };
  assertEquals(await codeOf(() => acceptOffer(offer, unsupported)), "no_common_protocol");
  const replayGuard = new ReplayGuard();
  const failing = { ...BOB, sign: () => Promise.reject(new Error("the key is locked")) };
  const locked = { ...options, replayGuard, signer: failing };
  await assertRejects(() => acceptOffer(offer, locked), Error, "the key is locked");
  await acceptOffer(offer, { ...options, replayGuard });
});

Deno.test("acceptOffer() returns no acceptance if the replay store fails or does not respond", async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const fail = (): Promise<never> => Promise.reject(new Error("connection lost"));
  const store = { ttlMs: 600_000, begin: () => true, commit: () => {}, abort: () => {} };
  const broken: readonly Partial<ReplayStore>[] = [
    { begin: fail },
    {
      begin: () => {
        throw new Error("connection lost");
      },
    },
    // The types do not permit the results, but stores in JavaScript can return them.
    ...[undefined, 1, "yes", {}].map((value) => ({ begin: () => value as unknown as boolean })),
    { begin: never },
    { commit: fail },
    { commit: never },
    { commit: fail, abort: never },
  ];
  for (const methods of broken) {
    const replayGuard = { ...store, ...methods };
    const signer = { ...BOB, sign: () => Promise.resolve(new Uint8Array(64)) };
    const options = { supportedProtocols: PROTOCOLS, signer, replayGuard, timeoutMs: 5 };
    const offer = await offerTo(BOB);
    assertEquals(await codeOf(() => acceptOffer(offer, options)), "replay_store_failed");
  }
});

Deno.test("signed negotiation ends if a resolver or signer ignores its signal or its timeout expires", async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const offer = await offerTo(BOB);
  const answer = await acceptOffer(offer, { supportedProtocols: PROTOCOLS, signer: BOB });
  const resolver = { resolve: never };
  const plain = createProtocolOffer({ offererDid: ANN.did, protocols: PROTOCOLS });
  const [ann, bob] = [{ ...ANN, sign: never }, { ...BOB, sign: never }];
  const supportedProtocols = PROTOCOLS;
  type Limits = { readonly timeoutMs: number; readonly signal?: AbortSignal };
  const calls: readonly (readonly [string, (limits: Limits) => Promise<unknown>])[] = [
    ["timeout", (limits) => signOffer(plain, BOB.did, { signer: ann, ...limits })],
    ["timeout", (limits) => acceptOffer(offer, { supportedProtocols, signer: bob, ...limits })],
    [
      "did_resolution_failed",
      (limits) => acceptOffer(offer, { supportedProtocols, signer: BOB, resolver, ...limits }),
    ],
    ["did_resolution_failed", (limits) => verifyAcceptance(answer, { offer, resolver, ...limits })],
  ];
  for (const [code, call] of calls) {
    assertEquals(await codeOf(() => call({ timeoutMs: 5 })), code);
    const stopping = new AbortController();
    const calling = call({ timeoutMs: 60_000, signal: stopping.signal });
    const rejected = assertRejects(() => calling, Error, "enough");
    stopping.abort(new Error("enough"));
    await rejected;
  }
});
