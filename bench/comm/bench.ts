/**
 * Compares `@parley/comm` with canonicalize, noble, jose and didcomm-node.
 *
 *     deno task bench comm
 *     deno task bench comm --node
 *
 * Prints the number of operations per second of processor time for each library. The last line is a JSON object that
 * contains all ratios. Exits with code 1 if a ratio is outside its limit in `PROMISES`.
 *
 * @module
 */

import {
  AgentCommMessage,
  createChannelPair,
  createSigner,
  formatMessage,
  type JsonValue,
  type MessageSigner,
  parseMessage,
  signingPayload,
  signMessage,
  verifyMessage,
} from "@parley/comm";
import { canonicalize } from "@parley/comm/canonical-json";
import { cachedResolver, didKeyResolver } from "@parley/comm/did";
import {
  type Contender,
  type CpuRounds,
  measureCpuRounds,
  medianRatioOf,
  toCpuSpeeds,
} from "../measure.ts";
import { findMisses, formatReport, type Report } from "../report.ts";
import { loadPeer } from "./peers.ts";
import { measureReplayGuards } from "./replay_guard.ts";

const SEED = new Uint8Array(32).fill(7);
const RECIPIENT = "did:key:z6MkiaMbhXHNA4eJVCCj8dbzKzTgYDKf6crKgHVHid1F1WCT";
const PAYLOAD = {
  task: "summarise",
  args: { url: "https://example.com/a", max: 200 },
  tags: ["a", "b"],
};
const ED25519 = { name: "Ed25519" };

/**
 * Minimum speed of `canonicalize()` from `@parley/comm` relative to the `canonicalize` package, for a document of 400
 * bytes.
 */
const SMALL_PROMISE = 2;

const PROMISES = {
  canonicalize_400b_vs_canonicalize: SMALL_PROMISE,
  canonicalize_1mb_vs_canonicalize: 2,
  message_vs_native: 0.7,
  message_vs_jose: 0.95,
  channel_vs_transform_stream: 10,
  channel_growth_mb: -4,
  verify_known_did_key_vs_native: 0.7,
  replay_guard_full_cost_vs_filling: -1.5,
  replay_guard_steady_cost_vs_filling: -1.5,
};

/** Keys for all contenders that sign a message. */
interface Keys {
  readonly signer: MessageSigner;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

async function createKeys(): Promise<Keys> {
  const signer = await createSigner({ seed: SEED });
  const pkcs8 = Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32, ...SEED);
  return {
    signer,
    privateKey: await crypto.subtle.importKey("pkcs8", pkcs8, ED25519, false, ["sign"]),
    publicKey: await crypto.subtle.importKey("raw", signer.publicKey, ED25519, false, ["verify"]),
  };
}

function createMessage(sender: string): AgentCommMessage {
  return new AgentCommMessage({
    correlationId: "0193a2f0-5c1e-7f7a-9d3b-2b1a0f9e8d00",
    sender,
    recipient: RECIPIENT,
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: PAYLOAD,
  });
}

function assertOk(ok: boolean): void {
  if (!ok) throw new Error("Cannot measure: a contender returned a wrong result");
}

// Canonical JSON

/** Creates a document of about one megabyte that consists of small objects with unsorted members. */
function createDocument(): JsonValue {
  return Array.from({ length: 8000 }, (_, id) => ({
    name: `user ${id}`,
    id,
    score: Math.sin(id) * 1000,
    active: id % 2 === 0,
    tags: ["alpha", "beta"],
    nested: { z: 1, a: 'text with "quotes"\n', m: null },
  }));
}

async function measureCanonicalJson(value: JsonValue): Promise<CpuRounds> {
  const peer = (await loadPeer("canonicalize")).default;
  assertOk(canonicalize(value) === peer(value));
  return await measureCpuRounds([
    { name: "@parley/comm", run: () => canonicalize(value) },
    { name: "canonicalize", run: () => peer(value) },
    { name: "JSON.stringify, not canonical", run: () => JSON.stringify(value) },
  ].map(repeat));
}

/** Repeats a short operation within one measurement, because the clock has a limited resolution. */
function repeat(contender: Contender): Contender {
  const started = performance.now();
  contender.run();
  const times = Math.max(1, Math.min(200, Math.floor(1 / (performance.now() - started))));
  return {
    name: contender.name,
    operations: times,
    run: () => {
      for (let time = 0; time < times; time++) contender.run();
    },
  };
}

// Signed messages: create, sign, encode, decode, verify

async function measureMessages(): Promise<CpuRounds> {
  const keys = await createKeys();
  const contenders = [
    createNative(keys),
    createOurs(keys),
    await createJose(keys),
    await createNoble(keys),
    await createDidcomm(),
  ];
  // Each contender runs for 100 ms at a time, because the previous contender has evicted its data from the processor
  // caches.
  return await measureCpuRounds(contenders, { rounds: 40, turnMs: 100 });
}

function createNative({ signer, privateKey, publicKey }: Keys): Contender {
  const data = new Uint8Array(signingPayload(createMessage(signer.did)));
  return {
    name: "WebCrypto sign and verify alone",
    async run(): Promise<void> {
      const signature = await crypto.subtle.sign(ED25519, privateKey, data);
      assertOk(await crypto.subtle.verify(ED25519, publicKey, signature, data));
    },
  };
}

function createOurs({ signer }: Keys): Contender {
  const resolver = cachedResolver(didKeyResolver);
  return {
    name: "@parley/comm",
    async run(): Promise<void> {
      const text = formatMessage(await signMessage(createMessage(signer.did), signer));
      const result = await verifyMessage(parseMessage(text), { resolver, recipient: RECIPIENT });
      assertOk(result.ok);
    },
  };
}

async function createJose({ signer, privateKey, publicKey }: Keys): Promise<Contender> {
  const { FlattenedSign, flattenedVerify } = await loadPeer("jose");
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  return {
    name: "jose, FlattenedSign",
    async run(): Promise<void> {
      const payload = encoder.encode(JSON.stringify(createEnvelope(signer.did)));
      const header = { alg: "EdDSA", kid: signer.keyId };
      const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(privateKey);
      const verified = await flattenedVerify(JSON.parse(JSON.stringify(jws)), publicKey);
      assertOk(JSON.parse(decoder.decode(verified.payload)).recipient === RECIPIENT);
    },
  };
}

/** Creates the same message as a plain object, for libraries without a message class. */
function createEnvelope(sender: string): Record<string, unknown> {
  return {
    id: crypto.randomUUID(),
    correlationId: "0193a2f0-5c1e-7f7a-9d3b-2b1a0f9e8d00",
    sender,
    recipient: RECIPIENT,
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: PAYLOAD,
    timestamp: new Date().toISOString(),
  };
}

async function createNoble({ signer }: Keys): Promise<Contender> {
  const noble = await loadPeer("@noble/ed25519");
  const peer = (await loadPeer("canonicalize")).default;
  const encoder = new TextEncoder();
  const { publicKey } = signer;
  return {
    name: "@noble/ed25519 and canonicalize",
    async run(): Promise<void> {
      const envelope = createEnvelope(signer.did);
      const signature = await noble.signAsync(encoder.encode(peer(envelope)), SEED);
      const text = JSON.stringify({ ...envelope, signature: Array.from(signature) });
      const { signature: received, ...rest } = JSON.parse(text);
      const data = encoder.encode(peer(rest));
      assertOk(await noble.verifyAsync(Uint8Array.from(received), data, publicKey));
    },
  };
}

async function createDidcomm(): Promise<Contender> {
  const { Message } = await loadPeer("didcomm-node");
  const did = "did:example:ann";
  const id = `${did}#key-1`;
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ED25519, true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const { x } = await crypto.subtle.exportKey("jwk", publicKey);
  const { d } = await crypto.subtle.exportKey("jwk", privateKey);
  const type = "JsonWebKey2020";
  const jwk = { kty: "OKP", crv: "Ed25519", x };
  const document = {
    id: did,
    keyAgreement: [],
    authentication: [id],
    verificationMethod: [{ id, type, controller: did, publicKeyJwk: jwk }],
    service: [],
  };
  const secret = { id, type, privateKeyJwk: { ...jwk, d } };
  const resolver = { resolve: () => Promise.resolve(document) };
  const secrets = {
    get_secret: () => Promise.resolve(secret),
    find_secrets: (ids: readonly string[]) => Promise.resolve(ids),
  };
  return {
    name: "didcomm-node, pack_signed",
    async run(): Promise<void> {
      const message = new Message({
        id: crypto.randomUUID(),
        typ: "application/didcomm-plain+json",
        type: "https://example.com/task/1.0/assign",
        from: did,
        to: ["did:example:bob"],
        thid: "0193a2f0-5c1e-7f7a-9d3b-2b1a0f9e8d00",
        created_time: Math.floor(Date.now() / 1000),
        body: PAYLOAD,
      });
      const [text] = await message.pack_signed(id, resolver, secrets);
      const [received] = await Message.unpack(text, resolver, secrets, {});
      assertOk(received.as_value() !== undefined);
    },
  };
}

// Channels

const CHANNEL_MESSAGES = 20_000;
const CAPACITY = 1000;

/**
 * Measures `@parley/comm` channels and `TransformStream` in the fastest documented way. Also measures `@parley/comm`
 * channels with every call awaited, because writing to a `TransformStream` requires awaiting each call.
 */
async function measureChannel(): Promise<CpuRounds> {
  const message = createMessage(RECIPIENT);
  return await measureCpuRounds([
    {
      name: "@parley/comm channel",
      operations: CHANNEL_MESSAGES,
      run: () => runChannel(message, CHANNEL_MESSAGES),
    },
    {
      name: "@parley/comm channel, each awaited",
      operations: CHANNEL_MESSAGES,
      run: () => runAwaitedChannel(message, CHANNEL_MESSAGES),
    },
    {
      name: "TransformStream, each awaited",
      operations: CHANNEL_MESSAGES,
      run: () => runTransformStream(message),
    },
  ]);
}

/** Sends and receives messages through a channel. Awaits only if the channel is full or empty. */
async function runChannel(message: AgentCommMessage, count: number): Promise<void> {
  const [ann, bob] = createChannelPair({ capacity: CAPACITY });
  async function receive(): Promise<void> {
    for (let index = 0; index < count; index++) {
      if (bob.tryReceive() === undefined) await bob.receive();
    }
  }
  const receiving = receive();
  for (let index = 0; index < count; index++) {
    if (!ann.trySend(message)) await ann.send(message);
  }
  await receiving;
  await Promise.all([ann.close(), bob.close()]);
}

async function runAwaitedChannel(message: AgentCommMessage, count: number): Promise<void> {
  const [ann, bob] = createChannelPair({ capacity: CAPACITY });
  async function receive(): Promise<void> {
    for (let index = 0; index < count; index++) await bob.receive();
  }
  const receiving = receive();
  for (let index = 0; index < count; index++) await ann.send(message);
  await receiving;
  await Promise.all([ann.close(), bob.close()]);
}

/**
 * Sends messages through a `TransformStream` and awaits every write. Awaiting `ready` only when `desiredSize` is 0 is
 * slower.
 */
async function runTransformStream(message: AgentCommMessage): Promise<void> {
  const { readable, writable } = new TransformStream<AgentCommMessage, AgentCommMessage>(
    undefined,
    { highWaterMark: CAPACITY },
    { highWaterMark: 0 },
  );
  const [writer, reader] = [writable.getWriter(), readable.getReader()];
  async function receive(): Promise<void> {
    for (let index = 0; index < CHANNEL_MESSAGES; index++) await reader.read();
  }
  const receiving = receive();
  for (let index = 0; index < CHANNEL_MESSAGES; index++) await writer.write(message);
  await receiving;
  await Promise.all([writer.close(), reader.cancel()]);
}

/** Returns the heap growth after two million messages, in megabytes. */
async function measureGrowth(): Promise<number> {
  const message = createMessage(RECIPIENT);
  await runAwaitedChannel(message, 100_000);
  const before = usedMegabytes();
  await runChannel(message, 1_000_000);
  await runAwaitedChannel(message, 1_000_000);
  return usedMegabytes() - before;
}

function usedMegabytes(): number {
  const { gc, process } = globalThis as {
    gc?: () => void;
    process?: { memoryUsage(): { heapUsed: number } };
  };
  if (gc === undefined || process === undefined) {
    throw new Error("Cannot measure memory: run with --expose-gc");
  }
  gc();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

/** Measures the verification of messages from one did:key sender, without a resolver. */
async function measureKnownSender(): Promise<CpuRounds> {
  const { signer, publicKey } = await createKeys();
  const message = await signMessage(createMessage(signer.did), signer);
  const data = new Uint8Array(signingPayload(message));
  const bytes = Uint8Array.from(
    atob((message.signature ?? "").replaceAll("-", "+").replaceAll("_", "/")),
    (letter) => letter.charCodeAt(0),
  );
  return await measureCpuRounds([
    {
      name: "verifyMessage, known did:key",
      run: async () => assertOk((await verifyMessage(message)).ok),
    },
    {
      name: "WebCrypto verify alone",
      run: async () => assertOk(await crypto.subtle.verify(ED25519, publicKey, bytes, data)),
    },
  ]);
}

async function createReport(): Promise<Report> {
  const envelope = { ...createMessage(RECIPIENT).toJSON() };
  const small = await measureCanonicalJson(envelope);
  const large = await measureCanonicalJson(createDocument());
  const messages = await measureMessages();
  const channel = await measureChannel();
  const known = await measureKnownSender();
  const guards = await measureReplayGuards();
  const [ours, native] = ["@parley/comm", "WebCrypto sign and verify alone"];
  const [jose, stream] = ["jose, FlattenedSign", "TransformStream, each awaited"];
  return {
    tables: [
      { title: "canonical JSON, 400 bytes", speeds: toCpuSpeeds(small) },
      { title: "canonical JSON, 1 MB", speeds: toCpuSpeeds(large) },
      { title: "create, sign, encode, decode, verify", speeds: toCpuSpeeds(messages) },
      { title: `channel of capacity ${CAPACITY}, messages`, speeds: toCpuSpeeds(channel) },
      { title: "verification of a known sender", speeds: toCpuSpeeds(known) },
      { title: "replay guard of 100,000 entries", speeds: toCpuSpeeds(guards) },
    ],
    ratios: {
      canonicalize_400b_vs_canonicalize: medianRatioOf(small, ours, "canonicalize"),
      canonicalize_1mb_vs_canonicalize: medianRatioOf(large, ours, "canonicalize"),
      message_vs_native: medianRatioOf(messages, ours, native),
      message_vs_native_by_the_clock: medianRatioOf(messages, ours, native, "wallUs"),
      message_vs_jose: medianRatioOf(messages, ours, jose),
      message_vs_jose_by_the_clock: medianRatioOf(messages, ours, jose, "wallUs"),
      message_vs_noble: medianRatioOf(messages, ours, "@noble/ed25519 and canonicalize"),
      message_vs_didcomm: medianRatioOf(messages, ours, "didcomm-node, pack_signed"),
      channel_vs_transform_stream: medianRatioOf(channel, "@parley/comm channel", stream),
      channel_awaited_vs_transform_stream: medianRatioOf(
        channel,
        "@parley/comm channel, each awaited",
        stream,
      ),
      verify_known_did_key_vs_native: medianRatioOf(
        known,
        "verifyMessage, known did:key",
        "WebCrypto verify alone",
      ),
      replay_guard_full_cost_vs_filling: medianRatioOf(
        guards,
        "ReplayGuard, filling",
        "ReplayGuard, full",
      ),
      replay_guard_steady_cost_vs_filling: medianRatioOf(
        guards,
        "ReplayGuard, filling",
        "ReplayGuard, steady",
      ),
      former_guard_full_cost_vs_filling: medianRatioOf(
        guards,
        "former ReplayGuard, filling",
        "former ReplayGuard, full",
      ),
      former_guard_steady_cost_vs_filling: medianRatioOf(
        guards,
        "former ReplayGuard, filling",
        "former ReplayGuard, steady",
      ),
      channel_growth_mb: await measureGrowth(),
    },
    promises: PROMISES,
  };
}

const report = await createReport();
console.log(formatReport(report));
const { process } = globalThis as { process?: { exitCode: number } };
if (process !== undefined && findMisses(report).length > 0) process.exitCode = 1;
