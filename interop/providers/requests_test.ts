/**
 * Checks that a peer that uses only third-party packages (`@noble/ed25519`, `canonicalize`, `ws`
 * and `node:crypto`) can send requests to our peer and handle requests from our peer.
 */

import { generateSigner, type JsonValue } from "@parley/comm";
import { createVerifier, ReplayGuard } from "@parley/comm/policy";
import { createPeer, PeerError } from "@parley/comm/requests";
import { type WebSocketLike, webSocketTransport } from "@parley/comm/transport";
import { getPublicKeyAsync, signAsync, utils, verifyAsync } from "@noble/ed25519";
import canonicalize from "canonicalize";
// @ts-types="@types/ws"
import { WebSocket, WebSocketServer } from "ws";
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { assert, assertEquals } from "@std/assert";

const PROTOCOL = "agent.task.v1";
const SIGNED = [
  ...["correlationId", "id", "messageType", "payload"],
  ...["protocol", "recipient", "sender"],
];
type Message = Record<string, unknown>;

/** Encodes the public key as a did:jwk. */
function toDid(publicKey: Uint8Array): string {
  const jwk = { crv: "Ed25519", kty: "OKP", x: Buffer.from(publicKey).toString("base64url") };
  return `did:jwk:${Buffer.from(JSON.stringify(jwk)).toString("base64url")}`;
}

/** Creates a UUID of version 7. */
function createId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | (bytes[6] ?? 0) & 0x0f;
  bytes[8] = 0x80 | (bytes[8] ?? 0) & 0x3f;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function toSigned(message: Message): Uint8Array {
  const members = SIGNED.filter((name) => name in message).map((name) => [name, message[name]]);
  return Buffer.from(canonicalize(Object.fromEntries(members)) ?? "");
}

/** The third-party peer: an agent on a WebSocket. */
class OtherPeer {
  readonly did: string;
  readonly #secret: Uint8Array;
  readonly #socket: WebSocket;
  readonly #received: Message[] = [];
  readonly #waiting: ((message: Message) => void)[] = [];

  private constructor(secret: Uint8Array, did: string, socket: WebSocket) {
    this.did = did;
    this.#secret = secret;
    this.#socket = socket;
    socket.on("message", (data) => {
      const message = JSON.parse(String(data));
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#received.push(message);
      else waiting(message);
    });
  }

  static async connect(url: string): Promise<OtherPeer> {
    const secret = utils.randomSecretKey();
    const publicKey = await getPublicKeyAsync(secret);
    const socket = new WebSocket(url);
    // The socket can open before another promise resolves.
    await once(socket, "open");
    return new OtherPeer(secret, toDid(publicKey), socket);
  }

  async send(members: Message): Promise<string> {
    const timestamp = new Date().toISOString();
    const message: Message = { id: createId(), sender: this.did, protocol: PROTOCOL, ...members };
    const signature = await signAsync(toSigned(message), this.#secret);
    this.#socket.send(JSON.stringify({
      ...message,
      timestamp,
      signature: Buffer.from(signature).toString("base64url"),
    }));
    return String(message.id);
  }

  async receive(publicKey: Uint8Array): Promise<Message> {
    const message = this.#received.shift() ??
      await new Promise<Message>((resolve) => this.#waiting.push(resolve));
    const signature = Buffer.from(String(message.signature), "base64url");
    assert(await verifyAsync(signature, toSigned(message), publicKey), "invalid signature");
    assertEquals([message.recipient, message.protocol], [this.did, PROTOCOL]);
    return message;
  }

  async close(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, "close");
  }
}

Deno.test("a peer written with noble, canonicalize and ws sends requests to our peer and handles its requests", async () => {
  const signer = await generateSigner();
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  const connected = once(server, "connection");
  const other = await OtherPeer.connect(`ws://127.0.0.1:${address.port}`);
  const [socket]: WebSocketLike[] = await connected;
  assert(socket !== undefined);
  const peer = createPeer({
    signer,
    verifier: createVerifier({ recipient: signer.did, replayGuard: new ReplayGuard() }),
    transport: webSocketTransport(socket),
    protocol: PROTOCOL,
  });
  const canceled = Promise.withResolvers<void>();
  peer.serve(async ({ sender, payload }, { update, signal }) => {
    assertEquals(sender, other.did);
    if (payload === "fail") throw new PeerError("quota", "No more", { left: 0 });
    await update({ z: 1, "ä": "€", a: 1e21 });
    if (payload !== "wait") return { echo: payload };
    return await new Promise<JsonValue>((_resolve, reject) =>
      signal.addEventListener("abort", () => {
        canceled.resolve();
        reject(signal.reason);
      })
    );
  });

  async function ask(payload: JsonValue): Promise<unknown[]> {
    const id = await other.send({ recipient: signer.did, messageType: "ask", payload });
    const replies: unknown[] = [];
    for (;;) {
      const { messageType, correlationId, payload } = await other.receive(signer.publicKey);
      assertEquals(correlationId, id);
      replies.push([messageType, payload]);
      if (messageType !== "update") return replies;
    }
  }
  assertEquals(await ask({ "ö": [1, 0.1] }), [
    ["update", { z: 1, "ä": "€", a: 1e21 }],
    ["response", { echo: { "ö": [1, 0.1] } }],
  ]);
  assertEquals(await ask("fail"), [
    ["error", { code: "quota", message: "No more", data: { left: 0 } }],
  ]);
  const waiting = await other.send({ recipient: signer.did, messageType: "ask", payload: "wait" });
  assertEquals((await other.receive(signer.publicKey)).messageType, "update");
  const reply = { recipient: signer.did, payload: null };
  await other.send({ ...reply, messageType: "cancel", correlationId: waiting });
  await canceled.promise;

  const updates: JsonValue[] = [];
  const answer = peer.request(other.did, { question: "6 * 7" }, {
    onUpdate: (payload) => void updates.push(payload),
  });
  const request = await other.receive(signer.publicKey);
  assertEquals([request.messageType, request.payload], ["request", { question: "6 * 7" }]);
  const correlationId = request.id;
  await other.send({ ...reply, correlationId, messageType: "update", payload: "thinking" });
  await other.send({ ...reply, correlationId, messageType: "response", payload: 42 });
  assertEquals([await answer, updates], [42, ["thinking"]]);

  await other.close();
  await peer.close();
  server.close();
  await once(server, "close");
});
