/**
 * Measures signed messages, and the verification of messages from one sender.
 *
 * @module
 */

import {
  AgentCommMessage,
  createSigner,
  formatMessage,
  generateSigner,
  type JsonValue,
  type MessageSigner,
  parseMessage,
  signingPayload,
  signMessage,
  verifyMessage,
} from "@parley/comm";
import { cachedResolver, didKeyResolver } from "@parley/comm/did";
import { type Contender, type CpuRounds, measureCpuRounds, medianRatioOf } from "../measure.ts";
import { createHandMade } from "./hand_made.ts";
import { loadPeer } from "./peers.ts";

const SEED = new Uint8Array(32).fill(7);
/** DID of the recipient of all measured messages. */
export const RECIPIENT = "did:key:z6MkiaMbhXHNA4eJVCCj8dbzKzTgYDKf6crKgHVHid1F1WCT";
const PAYLOAD = {
  task: "summarise",
  args: { url: "https://example.com/a", max: 200 },
  tags: ["a", "b"],
};
const ED25519 = { name: "Ed25519" };

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

/** Creates a message without a signature. */
export function createMessage(sender: string): AgentCommMessage {
  return new AgentCommMessage(membersOf(sender));
}

/** Returns the members that all messages of a sender have in common. */
function membersOf(sender: string) {
  return {
    correlationId: "0193a2f0-5c1e-7f7a-9d3b-2b1a0f9e8d00",
    sender,
    recipient: RECIPIENT,
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: PAYLOAD,
  };
}

/** Throws if a contender returned a wrong result. */
export function assertOk(ok: boolean): void {
  if (!ok) throw new Error("Cannot measure: a contender returned a wrong result");
}

/** Measures creating, signing, encoding, decoding and verifying a message. */
export async function measureMessages(): Promise<CpuRounds> {
  const keys = await createKeys();
  const contenders = [
    createNative(keys),
    createHandMade({
      seed: SEED,
      publicKey: keys.signer.publicKey,
      members: membersOf(keys.signer.did),
      recipient: RECIPIENT,
    }),
    createOurs(keys),
    await createJose(keys),
    await createNoble(keys),
    await createDidcomm(),
  ];
  // Each contender runs for 100 ms at a time, because a contender's data is evicted from the
  // processor caches while the other contenders run.
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
    ...membersOf(sender),
    id: crypto.randomUUID(),
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

/** Payloads of the messages that {@linkcode measureParsing} parses. */
const PARSED: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["500 bytes", PAYLOAD],
  ["16 kB", Array.from({ length: 350 }, (_, id) => ({ id, name: `user ${id}`, tags: ["a", "b"] }))],
]);

/**
 * Measures `parseMessage`, relative to `JSON.parse`. Returns the cost by the size of the message.
 */
export async function measureParsing(): Promise<ReadonlyMap<string, number>> {
  const { signer } = await createKeys();
  const costs = new Map<string, number>();
  for (const [size, payload] of PARSED) {
    const message = new AgentCommMessage({ ...createMessage(signer.did), payload });
    const text = formatMessage(await signMessage(message, signer));
    const rounds = await measureCpuRounds([
      repeat("parseMessage", () => parseMessage(text)),
      repeat("JSON.parse", () => JSON.parse(text)),
    ]);
    costs.set(size, medianRatioOf(rounds, "JSON.parse", "parseMessage"));
  }
  return costs;
}

/** Repeats a short operation, because the clock has a limited resolution. */
function repeat(name: string, act: () => unknown): Contender {
  const operations = 50;
  return {
    name,
    operations,
    run: () => {
      for (let time = 0; time < operations; time++) act();
    },
  };
}

/** Number of did:key senders whose keys are cached. */
const MANY_SENDERS = 1000;

/** Creates a signed message from each of many senders. */
async function createMessages(): Promise<AgentCommMessage[]> {
  const messages: AgentCommMessage[] = [];
  for (let index = 0; index < MANY_SENDERS; index++) {
    const signer = await generateSigner();
    messages.push(await signMessage(createMessage(signer.did), signer));
  }
  return messages;
}

/**
 * Measures the verification of messages from one and from many did:key senders, without a resolver.
 */
export async function measureKnownSender(): Promise<CpuRounds> {
  const { signer, publicKey } = await createKeys();
  const message = await signMessage(createMessage(signer.did), signer);
  const { recipient } = message;
  const data = new Uint8Array(signingPayload(message));
  const bytes = Uint8Array.from(
    atob((message.signature ?? "").replaceAll("-", "+").replaceAll("_", "/")),
    (letter) => letter.charCodeAt(0),
  );
  const messages = await createMessages();
  let next = 0;
  return await measureCpuRounds([
    {
      name: "verifyMessage, known did:key",
      run: async () => assertOk((await verifyMessage(message, { recipient })).ok),
    },
    {
      name: "verifyMessage, 1,000 known did:key senders",
      async run(): Promise<void> {
        const each = messages[next++ % messages.length] ?? message;
        assertOk((await verifyMessage(each, { recipient })).ok);
      },
    },
    {
      name: "WebCrypto verify alone",
      run: async () => assertOk(await crypto.subtle.verify(ED25519, publicKey, bytes, data)),
    },
  ]);
}
