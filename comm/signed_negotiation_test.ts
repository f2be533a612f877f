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
