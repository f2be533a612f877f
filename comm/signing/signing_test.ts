import {
  assert,
  assertEquals,
  assertFalse,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { decodeHex } from "@std/encoding/hex";
import { formatBase64url } from "../shared/base64url.ts";
import { CommError } from "../shared/error.ts";
import { AgentCommMessage } from "../message/message.ts";
import type { AgentCommMessageInit } from "../message/message_members.ts";
import { createSigner, generateSigner, signingPayload, signMessage } from "./signing.ts";
import { verifyMessage } from "./verify_message.ts";

/** Keys from RFC 8032 §7.1, tests 1 and 2. */
const ANN = await createSigner({
  seed: decodeHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
});
const BOB = await createSigner({
  seed: decodeHex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
});

const INIT: AgentCommMessageInit = {
  id: "019b7ca9-8f2e-7a00-8000-000000000001",
  sender: ANN.did,
  recipient: BOB.did,
  protocol: "agent.task.v1",
  messageType: "task_assign",
  payload: null,
  timestamp: "2026-01-02T03:04:05.678Z",
};

Deno.test("signMessage() creates the same signature as two other implementations", async () => {
  const signed = await signMessage(new AgentCommMessage(INIT), ANN);
  assertEquals(
    new TextDecoder().decode(signingPayload(signed)),
    '{"id":"019b7ca9-8f2e-7a00-8000-000000000001","messageType":"task_assign","payload":null,' +
      '"protocol":"agent.task.v1",' +
      '"recipient":"did:key:z6MkiaMbhXHNA4eJVCCj8dbzKzTgYDKf6crKgHVHid1F1WCT",' +
      '"sender":"did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"}',
  );
  assertEquals(
    signed.signature,
    "XjqVRcKryYb9_b07zxhsSNZL1Cm6tckHSVyQi_Gbbhcf4s2tKdiLDriraBt9jYtNR6zDqT_FYD5fuiIlLFX9Aw",
  );
});

Deno.test("signMessage() rejects a signer that is not the sender, and an aborted signal", async () => {
  const message = new AgentCommMessage(INIT);
  const error = await assertRejects(() => signMessage(message, BOB), CommError);
  assertEquals(error.code, "invalid_argument");
  const signal = AbortSignal.abort(new Error("enough"));
  await assertRejects(() => signMessage(message, ANN, { signal }), Error, "enough");
});

Deno.test("signer.reply() signs a reply, and rejects messages with another recipient", async () => {
  const question = await signMessage(new AgentCommMessage(INIT), ANN);
  const answer = await BOB.reply(question, "task_result", 42);
  assertEquals(answer.correlationId, question.id);
  assert((await verifyMessage(answer, { recipient: ANN.did })).ok);
  await assertRejects(() => ANN.reply(question, "task_result", 42), CommError);
});

Deno.test("generateSigner() creates a new identity on each call", async () => {
  const [first, second] = [await generateSigner(), await generateSigner()];
  assertFalse(first.did === second.did);
  first.publicKey.fill(0);
  assertEquals(first.publicKey.length, 32);
  assert(first.publicKey.some((byte) => byte !== 0));
});

Deno.test("createSigner() signs as a DID whose document lists the key", async () => {
  const did = "did:web:ann.example";
  const signer = await createSigner({ seed: new Uint8Array(32), did, keyId: `${did}#key-1` });
  const signed = await signMessage(new AgentCommMessage({ ...INIT, sender: did }), signer);
  const document = {
    id: did,
    verificationMethod: [{
      id: "#key-1",
      type: "JsonWebKey2020",
      controller: did,
      publicKeyJwk: { kty: "OKP", crv: "Ed25519", x: formatBase64url(signer.publicKey) },
    }],
    authentication: ["#key-1"],
  };
  const resolver = {
    resolve: () =>
      Promise.resolve({
        didDocument: document,
        didResolutionMetadata: {},
        didDocumentMetadata: {},
      }),
  };
  const result = await verifyMessage(signed, { recipient: BOB.did, resolver });
  assertEquals(result.ok && result.keyId, `${did}#key-1`);
});

Deno.test("createSigner() accepts a WebCrypto key pair", async () => {
  const keyPair = await crypto.subtle.generateKey({ name: "Ed25519" }, false, ["sign", "verify"]);
  assert("privateKey" in keyPair);
  const signer = await createSigner({ keyPair });
  const signed = await signMessage(new AgentCommMessage({ ...INIT, sender: signer.did }), signer);
  assert((await verifyMessage(signed, { recipient: BOB.did })).ok);
});

Deno.test("createSigner() rejects keys and identities that do not match", async () => {
  const seed = new Uint8Array(32);
  const create = (init: unknown): Promise<unknown> =>
    Reflect.apply(createSigner, undefined, [init]);
  await assertRejects(() => create({}), TypeError);
  await assertRejects(() => create({ seed: new Uint8Array(31) }), RangeError);
  await assertRejects(() => create({ seed, did: "did:web:a.example", keyId: "#key-1" }), CommError);
  await assertRejects(() => create({ seed, did: "did:web:a.example" }), CommError);
  await assertRejects(() => create({ seed, did: ANN.did, keyId: `${ANN.did}#k` }), CommError);
});

Deno.test("signMessage() rejects an invalid signature from a custom signer", async () => {
  const { did, keyId } = ANN;
  const message = new AgentCommMessage({
    sender: did,
    recipient: BOB.did,
    protocol: "agent.task.v1",
    messageType: "request",
    payload: null,
  });
  for (const length of [0, 63, 65]) {
    const signer = { did, keyId, sign: () => Promise.resolve(new Uint8Array(length)) };
    await assertRejects(
      () => signMessage(message, signer),
      TypeError,
      "64 bytes",
    );
  }
});

Deno.test("signingPayload() sorts members that JavaScript enumerates in another order", () => {
  const payload = { b: null, "9": { "2": 1, "10": 2 }, "10": [] };
  const message = new AgentCommMessage({ ...INIT, sender: ANN.did, payload });
  const text = new TextDecoder().decode(signingPayload(message));
  assertStringIncludes(text, '"payload":{"10":[],"9":{"10":2,"2":1},"b":null}');
});

Deno.test("signMessage() ignores changes made to the message after the call", async () => {
  const like = Object.assign(Object.create(AgentCommMessage.prototype), INIT);
  const signing = signMessage(like, ANN);
  like.payload = { amount: 99 };
  const signed = await signing;
  assertEquals(signed.payload, null);
  assert((await verifyMessage(signed, { recipient: BOB.did })).ok);
});

Deno.test("signMessage() and verifyMessage() name an argument that is not a message or a signer", async () => {
  const message = JSON.parse(`"{}"`);
  const signer = await generateSigner();
  const noSigner = JSON.parse("null");
  const table: readonly (readonly [() => Promise<unknown>, string])[] = [
    [
      () => signMessage(message, signer),
      `"message" must be an AgentCommMessage, got "{}"; parse text with parseMessage()`,
    ],
    [
      () => verifyMessage(message, { recipient: "any" }),
      `"message" must be an AgentCommMessage, got "{}"; parse text with parseMessage()`,
    ],
    [
      () => signMessage(new AgentCommMessage(INIT), noSigner),
      '"signer" must be a Signer, got null; create one with createSigner()',
    ],
  ];
  for (const [call, expected] of table) {
    const { message: actual } = await assertRejects(call, TypeError);
    assertEquals(actual, expected);
  }
});
