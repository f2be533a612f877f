import { assertEquals, assertRejects } from "@std/assert";
import { testOptions } from "../tools/testing/options_rows.ts";
import { signA2aRequest, verifyA2aRequest } from "./a2a.ts";
import { canonicalize } from "./canonical_json.ts";
import { cachedResolver, didKeyResolver, resolveDid, selectKeys } from "./did.ts";
import { didWebResolver, didWebUrl } from "./did/web.ts";
import { httpEndpoint } from "./http.ts";
import {
  AgentCommMessage,
  createChannelPair,
  createProtocolOffer,
  createSigner,
  generateSigner,
  isJsonValue,
  parseJson,
  parseMessage,
  signMessage,
  verifyAll,
  verifyMessage,
} from "./mod.ts";
import { signJson, verifyJson } from "./jws.ts";
import { formatMessage } from "./message/message_json.ts";
import { natsQueue } from "./nats.ts";
import { pgBossQueue, type PgBossQueueOptions } from "./pgboss.ts";
import { createVerifier, ReplayGuard } from "./policy.ts";
import { PostgresReplayStore } from "./postgres.ts";
import { proveMessage, verifyProof } from "./proof.ts";
import { memoryQueue, type MessageQueue, toTransport } from "./queues.ts";
import { createPeer } from "./requests.ts";
import { acceptOffer, signOffer, verifyAcceptance } from "./signed_negotiation.ts";
import { sqliteQueue, SqliteReplayStore } from "./sqlite.ts";
import { memoryJetStream } from "./testdata/jetstream.ts";
import { createMessage } from "./testdata/messages.ts";
import { ANN, BOB, PROTOCOL, verifierOf } from "./testdata/peers.ts";
import { StartedBoss } from "./testdata/pgboss.ts";
import { queueChecks } from "./testing.ts";
import { streamTransport, type WebSocketLike, webSocketTransport } from "./transport.ts";

const IMPLEMENTED = "Users implement the method that receives these options.";
const DRIVER = "The package passes these settings to a driver, which the user does not call.";

const MESSAGE = new AgentCommMessage({ ...createMessage(1), sender: ANN.did });
const A2A_REQUEST = { message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "Hello" }] } };
const SIGNED = await signMessage(MESSAGE, ANN);
const [DOCUMENT, OFFER] = [
  await resolveDid(ANN.did, didKeyResolver),
  await signOffer(createProtocolOffer({ offererDid: ANN.did, protocols: [PROTOCOL] }), BOB.did, {
    signer: ANN,
  }),
];
const ACCEPTANCE = await acceptOffer(OFFER, { supportedProtocols: [PROTOCOL], signer: BOB });

function empty(): object {
  return {};
}

function inboxOf(): string {
  return "office";
}

function natsOptions(): object {
  return { inboxOf, jetstream: memoryJetStream() };
}

function peerOptions(): object {
  const [transport] = createChannelPair();
  return { signer: ANN, verifier: verifierOf(ANN), transport, protocol: PROTOCOL };
}

async function request(options: object): Promise<void> {
  const [annSide, bobSide] = createChannelPair();
  const common = { protocol: PROTOCOL };
  const server = { ...common, signer: BOB, verifier: verifierOf(BOB), transport: bobSide };
  const client = { ...common, signer: ANN, verifier: verifierOf(ANN), transport: annSide };
  await using bob = createPeer(server);
  await using ann = createPeer(client);
  bob.serve(() => null);
  await ann.request(BOB.did, null, options);
}

async function withQueue(call: (queue: MessageQueue) => Promise<unknown>): Promise<void> {
  await using queue = memoryQueue({ inboxOf });
  await call(queue);
}

function byteStreams(): { readable: ReadableStream<Uint8Array>; writable: WritableStream } {
  return new TransformStream<Uint8Array, Uint8Array>();
}

/** Returns a WebSocket that is open and closes immediately. */
function openSocket(): WebSocketLike {
  const closed = Promise.withResolvers<void>();
  return {
    readyState: 1,
    bufferedAmount: 0,
    send: () => {},
    close: () => closed.resolve(),
    addEventListener(type, listener) {
      if (type === "close") closed.promise.then(() => listener({ code: 1000 }));
    },
  };
}

testOptions("comm", [
  { type: "AgentCommMessageInit", open: "A message, which is wire data, is itself a valid init." },
  { type: "CommErrorInit", open: "The object is the init of an error class." },
  {
    type: "NegotiationAgeOptions",
    valid: () => ({ offer: OFFER }),
    call: (options) => verifyAcceptance(ACCEPTANCE, options),
  },
  { type: "NatsConsumerConfig", open: DRIVER },
  { type: "NatsPublishOptions", open: DRIVER },
  { type: "NatsStreamConfig", open: DRIVER },
  { type: "PgBossQueueSettings", open: DRIVER },
  { type: "PgBossSettings", open: DRIVER },
  { type: "PgBossWorkOptions", open: DRIVER },
  { type: "ReplayBeginOptions", open: IMPLEMENTED },
  { type: "ReplayStoreLimits", open: "Users receive these limits and pass them to their store." },
  {
    type: "AcceptOfferOptions",
    // A new signer has no accepted offers yet.
    valid: () => ({ supportedProtocols: [PROTOCOL], signer: { ...BOB } }),
    call: (options) => acceptOffer(OFFER, options),
  },
  {
    type: "CachedResolverOptions",
    valid: empty,
    call: (options) => cachedResolver(didKeyResolver, options),
  },
  { type: "CanonicalizeOptions", valid: empty, call: (options) => canonicalize(1, options) },
  { type: "ChannelPairOptions", valid: empty, call: (options) => createChannelPair(options) },
  {
    type: "ConsumeOptions",
    valid: empty,
    call: (options) =>
      withQueue((queue) =>
        Promise.all([queue.consume("office", () => {}, options), queue.close()])
      ),
  },
  {
    type: "DeadLetterOptions",
    valid: empty,
    call: (options) => withQueue((queue) => queue.deadLetters("office", options)),
  },
  {
    type: "DidResolutionOptions",
    valid: empty,
    call: (options) => resolveDid(ANN.did, didKeyResolver, options),
  },
  { type: "DidWebResolverOptions", valid: empty, call: (options) => didWebResolver(options) },
  {
    type: "HttpEndpointOptions",
    valid: () => ({ urlOf: () => undefined }),
    call: (options) => httpEndpoint(options),
  },
  { type: "MemoryQueueOptions", valid: () => ({ inboxOf }), call: memoryQueue },
  { type: "NatsQueueOptions", valid: natsOptions, call: natsQueue },
  { type: "ParseJsonOptions", valid: empty, call: (options) => parseJson("1", options) },
  {
    type: "ParseMessageOptions",
    valid: empty,
    call: (options) => parseMessage(formatMessage(SIGNED), options),
  },
  { type: "PeerLimits", valid: peerOptions, call: createPeer },
  { type: "PeerOptions", valid: peerOptions, call: createPeer },
  { type: "PeerRequestOptions", valid: empty, call: request },
  {
    type: "PgBossQueueOptions",
    valid: () => ({ inboxOf, PgBoss: StartedBoss }),
    // One of the two sources is required, and the other one must be absent.
    call: (options: PgBossQueueOptions) => {
      const { connectionString = "postgres://127.0.0.1/app" } = options;
      const source = options.db === undefined ? { connectionString } : {};
      return pgBossQueue(Object.assign(Object.create(options), source));
    },
  },
  {
    type: "PostgresReplayStoreOptions",
    valid: () => ({ db: { query: () => Promise.resolve({ rows: [] }) } }),
    call: (options) => new PostgresReplayStore(options),
  },
  {
    type: "ProveMessageOptions",
    valid: empty,
    call: (options) => proveMessage(SIGNED, ANN, options),
  },
  {
    type: "QueueCheckOptions",
    valid: empty,
    call: (options) => queueChecks[0]?.run((settings) => memoryQueue(settings), options),
  },
  { type: "QueueOptions", valid: () => ({ inboxOf }), call: memoryQueue },
  {
    type: "QueueSendOptions",
    valid: empty,
    call: (options) => withQueue((queue) => queue.send(SIGNED, options)),
  },
  { type: "ReplayGuardOptions", valid: empty, call: (options) => new ReplayGuard(options) },
  {
    type: "ReservationOptions",
    valid: empty,
    call: async (options) => {
      const addressed = { sender: ANN.did, recipient: BOB.did, protocol: PROTOCOL };
      const message = new AgentCommMessage({ ...addressed, messageType: "task", payload: null });
      const reserved = await verifierOf(BOB).begin(await signMessage(message, ANN));
      if (reserved.ok) await reserved.commit(options);
    },
  },
  {
    type: "ResolveDidOptions",
    valid: empty,
    call: (options) => resolveDid(ANN.did, didKeyResolver, options),
  },
  {
    type: "SelectKeysOptions",
    valid: empty,
    call: (options) => selectKeys(DOCUMENT, "authentication", options),
  },
  {
    type: "SenderKeyOptions",
    valid: () => ({ recipient: "any" }),
    call: (options) => verifyMessage(SIGNED, options),
  },
  {
    type: "SignA2aRequestOptions",
    valid: () => ({ signer: ANN, recipient: BOB.did }),
    call: (options) => signA2aRequest(A2A_REQUEST, options),
  },
  { type: "SignJsonOptions", valid: empty, call: (options) => signJson({}, ANN, options) },
  {
    type: "SignMessageOptions",
    valid: empty,
    call: (options) => signMessage(SIGNED, ANN, options),
  },
  {
    type: "SignOfferOptions",
    valid: () => ({ signer: ANN }),
    call: (options) =>
      signOffer(createProtocolOffer({ offererDid: ANN.did, protocols: [] }), BOB.did, options),
  },
  {
    type: "SignerInit",
    at: "init",
    members: ["seed", "jwk?", "pkcs8?", "keyPair?", "did?", "keyId?"],
    valid: () => ({ seed: new Uint8Array(32) }),
    call: createSigner,
  },
  {
    type: "SqliteQueueOptions",
    valid: () => ({ inboxOf }),
    call: async (options) => await sqliteQueue(":memory:", options).close(),
  },
  {
    type: "SqliteReplayStoreOptions",
    valid: empty,
    call: (options) => new SqliteReplayStore(":memory:", options),
  },
  { type: "StoredQueueOptions", valid: natsOptions, call: natsQueue },
  {
    type: "StreamTransportOptions",
    valid: empty,
    call: (options) => streamTransport(byteStreams(), options),
  },
  {
    type: "ToTransportOptions",
    valid: () => ({ inbox: "office" }),
    call: (options) => toTransport(memoryQueue({ inboxOf }), options),
  },
  {
    type: "TransportOptions",
    valid: empty,
    call: (options) => createChannelPair()[0].send(SIGNED, options),
  },
  {
    type: "VerificationPolicy",
    at: "policy",
    valid: empty,
    call: (policy) => createVerifier({ recipient: BOB.did, policy }),
  },
  { type: "VerifierOptions", valid: () => ({ recipient: BOB.did }), call: createVerifier },
  {
    type: "VerifyAcceptanceOptions",
    valid: () => ({ offer: OFFER }),
    call: (options) => verifyAcceptance(ACCEPTANCE, options),
  },
  {
    type: "VerifyAllOptions",
    valid: () => ({ recipient: "any" }),
    call: (options) => verifyAll([SIGNED], options),
  },
  {
    type: "VerifyMessageOptions",
    valid: () => ({ recipient: "any" }),
    call: (options) => verifyMessage(SIGNED, options),
  },
  {
    type: "VerifyOptions",
    valid: empty,
    call: (options) => verifierOf(BOB).verify(SIGNED, options),
  },
  {
    type: "VerifyA2aRequestOptions",
    valid: empty,
    call: (options) => verifyA2aRequest(A2A_REQUEST, verifierOf(BOB), options),
  },
  {
    type: "VerifyJsonOptions",
    valid: empty,
    call: (options) => verifyJson({}, {}, options),
  },
  {
    type: "VerifyProofOptions",
    valid: () => ({ recipient: "any" }),
    call: (options) => verifyProof(SIGNED, options),
  },
  {
    type: "WebSocketTransportOptions",
    valid: empty,
    call: (options) => webSocketTransport(openSocket(), options),
  },
]);

/** Functions whose options have no exported type, with a misspelled name and the right one. */
const INLINE: readonly (readonly [string, string, (options: never) => unknown])[] = [
  ["extractible", "extractable", (options) => generateSigner(options)],
  ["allowPort", "allowPorts", (options) => didWebUrl("did:web:example.com", options)],
  ["maxDeepth", "maxDepth", (options) => isJsonValue(1, options)],
  ["timestmap", "timestamp", (options) => SIGNED.reply("t", 1, undefined, options)],
  ["singal", "signal", (options) => verifierOf(BOB).begin(SIGNED, options)],
  ["singal", "signal", (options) => createChannelPair()[0].receive(options)],
];

Deno.test("functions whose options have no exported type reject a misspelled option", async () => {
  for (const [misspelled, name, call] of INLINE) {
    const calling = async () => await Reflect.apply(call, undefined, [{ [misspelled]: 1 }]);
    const { message } = await assertRejects(calling, TypeError);
    assertEquals(
      message,
      `"options" must have only known options, got "${misspelled}"; did you mean "${name}"?`,
    );
  }
});
