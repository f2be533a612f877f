import { assert, assertEquals, assertRejects } from "@std/assert";
import * as fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { A2A_PROTOCOL, A2A_SIGNED_MESSAGE, signA2aRequest, verifyA2aRequest } from "./a2a.ts";
import { createVerifier, type MessageVerifier, ReplayGuard } from "./policy.ts";
import { proveMessage, verifyProof } from "./proof.ts";
import { CommError } from "./shared/error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./shared/json.ts";
import { AgentCommMessage } from "./message/message.ts";
import type { Signer } from "./signing/signer.ts";
import { createSigner } from "./signing/signing.ts";
import { formatSorted } from "./testdata/format_sorted.ts";

const ANN = await createSigner({ seed: new Uint8Array(32).fill(1) });
const BOB = await createSigner({ seed: new Uint8Array(32).fill(2) });
const CAROL = await createSigner({ seed: new Uint8Array(32).fill(3) });

/** A request with every member that the protocol defines. */
const REQUEST = {
  tenant: "t",
  message: {
    messageId: "m-1",
    contextId: "c",
    taskId: "task",
    role: "ROLE_USER",
    parts: [
      { text: "Pay 5 euros", metadata: { lang: "en" } },
      { raw: "+/8=", filename: "a.bin", mediaType: "application/octet-stream" },
      { url: "https://a.example/x" },
      { data: { amount: 5, list: [1, null] } },
    ],
    metadata: { "urn:x": { snake_case: 1 } },
    extensions: ["urn:x"],
    referenceTaskIds: ["r"],
  },
  configuration: {
    acceptedOutputModes: ["text/plain"],
    taskPushNotificationConfig: { url: "https://ann.example/push", token: "secret" },
    historyLength: 0,
    returnImmediately: true,
  },
  metadata: { trace: "1" },
};

const SIGNED = await signA2aRequest(REQUEST, { signer: ANN, recipient: BOB.did });

function verifierOf(recipient = BOB.did): MessageVerifier {
  return createVerifier({
    recipient,
    policy: { require: "proof" },
    replayGuard: new ReplayGuard(),
    verifyProof,
  });
}

async function reasonOf(request: unknown, verifier = verifierOf()): Promise<string> {
  const result = await verifyA2aRequest(request, verifier);
  return result.ok ? "ok" : result.reason;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  assert(isJsonObject(value));
  return value;
}

/** The signed request with other members in its `message`. */
function withMessage(change: JsonObject): JsonObject {
  return { ...SIGNED, message: { ...objectOf(SIGNED.message), ...change } };
}

/** The message that the metadata of a signed request contains. */
function carrierOf(signed: JsonObject): JsonObject {
  return objectOf(objectOf(objectOf(signed.message).metadata)[A2A_SIGNED_MESSAGE]);
}

/** The signed request with another value in place of the proof. */
function withCarrier(carrier: JsonValue): JsonObject {
  const metadata = objectOf(objectOf(SIGNED.message).metadata);
  return withMessage({ metadata: { ...metadata, [A2A_SIGNED_MESSAGE]: carrier } });
}

Deno.test("verifyA2aRequest() returns the DID and the key of the signer", async () => {
  assertEquals(await verifyA2aRequest(SIGNED, verifierOf()), {
    ok: true,
    did: ANN.did,
    keyId: ANN.keyId,
  });
});

Deno.test("the payload is the SHA-256 digest of the canonical request", async () => {
  const request = { message: { messageId: "1", role: 1, parts: [{ text: "Hello" }] } };
  const signed = await signA2aRequest(request, { signer: ANN, recipient: BOB.did });
  const { payload, protocol, messageType, recipient, sender } = carrierOf(signed);
  // printf %s '{"message":{"extensions":["urn:parley:a2a:signed-message:v1"],"messageId":"1",
  // "parts":[{"text":"Hello"}],"role":"ROLE_USER"}}' | sha256sum, without the line feed
  assertEquals(payload, {
    digest: "sha-256:d74ca1c1452f7567f83ca3435efeb4f9834d6959c61371e6ee26c63e234ce02a",
  });
  assertEquals([protocol, messageType], ["a2a.message.v1", "message"]);
  assertEquals([sender, recipient], [ANN.did, BOB.did]);
});

Deno.test("signA2aRequest() keeps every member that the protocol defines", () => {
  const message = objectOf(SIGNED.message);
  const { [A2A_SIGNED_MESSAGE]: _proof, ...metadata } = objectOf(message.metadata);
  assertEquals({ ...SIGNED, message: { ...message, metadata } }, {
    ...REQUEST,
    message: { ...REQUEST.message, extensions: ["urn:x", A2A_SIGNED_MESSAGE] },
  });
});

Deno.test("signA2aRequest() replaces a proof and lists the extension once", async () => {
  const again = await signA2aRequest(SIGNED, { signer: CAROL, recipient: BOB.did });
  assertEquals(objectOf(again.message).extensions, ["urn:x", A2A_SIGNED_MESSAGE]);
  const result = await verifyA2aRequest(again, verifierOf());
  assertEquals(result.ok && result.did, CAROL.did);
});

Deno.test("verifyA2aRequest() rejects every change of a member", async () => {
  const configuration = objectOf(SIGNED.configuration);
  const changes: Readonly<Record<string, JsonObject>> = {
    text: withMessage({ parts: [{ text: "Pay 500 euros" }] }),
    role: withMessage({ role: "ROLE_AGENT" }),
    messageId: withMessage({ messageId: "m-2" }),
    contextId: withMessage({ contextId: "other" }),
    taskId: withMessage({ taskId: "other" }),
    metadata: withMessage({ metadata: { [A2A_SIGNED_MESSAGE]: carrierOf(SIGNED) } }),
    extensions: withMessage({ extensions: [A2A_SIGNED_MESSAGE] }),
    references: withMessage({ referenceTaskIds: ["s"] }),
    tenant: { ...SIGNED, tenant: "u" },
    "request metadata": { ...SIGNED, metadata: { trace: "2" } },
    "history length": { ...SIGNED, configuration: { ...configuration, historyLength: 1 } },
    "push URL": {
      ...SIGNED,
      configuration: {
        ...configuration,
        taskPushNotificationConfig: { url: "https://eve.example/push", token: "secret" },
      },
    },
    "no configuration": { message: SIGNED.message ?? null, tenant: "t", metadata: { trace: "1" } },
  };
  const verifier = verifierOf();
  for (const [name, changed] of Object.entries(changes)) {
    assertEquals(await reasonOf(changed, verifier), "proof_invalid", name);
  }
  assertEquals(await reasonOf(SIGNED, verifier), "ok", "no change has used up the id");
});

Deno.test("verifyA2aRequest() rejects members that were added to a short request", async () => {
  const short = { message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "Hello" }] } };
  const signed = await signA2aRequest(short, { signer: ANN, recipient: BOB.did });
  const additions: readonly JsonObject[] = [
    { tenant: "t" },
    { metadata: { a: 1 } },
    { configuration: { returnImmediately: true } },
    { configuration: { historyLength: 0 } },
    { configuration: { taskPushNotificationConfig: { url: "https://eve.example" } } },
    { configuration: { task_push_notification_config: { url: "https://eve.example" } } },
  ];
  for (const addition of additions) {
    assertEquals(await reasonOf({ ...signed, ...addition }), "proof_invalid");
  }
});

Deno.test("verifyA2aRequest() accepts what a proxy writes in another form of ProtoJSON", async () => {
  const message = objectOf(SIGNED.message);
  const forms: Readonly<Record<string, JsonObject>> = {
    "another order": reverse(SIGNED),
    "null members": { ...SIGNED, unknown: null, message: { ...message, unknown_id: null } },
    "unknown members": { ...SIGNED, x: 1, message: { ...message, kind: "message" } },
    "base64url without padding": replaceRaw("-_8"),
    "the number of the role": withMessage({ role: 1 }),
    "a history length as text": {
      ...SIGNED,
      configuration: { ...objectOf(SIGNED.configuration), historyLength: "0" },
    },
    "snake case": toSnakeCase(SIGNED),
    "default values": {
      ...SIGNED,
      configuration: {
        ...objectOf(SIGNED.configuration),
        taskPushNotificationConfig: {
          url: "https://ann.example/push",
          token: "secret",
          id: "",
          authentication: null,
        },
      },
    },
  };
  for (const [name, form] of Object.entries(forms)) {
    assertEquals(await reasonOf(JSON.parse(JSON.stringify(form))), "ok", name);
  }
});

Deno.test("verifyA2aRequest() ignores empty metadata and an empty configuration", async () => {
  const short = { message: { messageId: "1", role: "ROLE_USER", parts: [{ text: "Hello" }] } };
  const signed = await signA2aRequest(short, { signer: ANN, recipient: BOB.did });
  const message = {
    ...objectOf(signed.message),
    parts: [{ text: "Hello", metadata: {} }],
    referenceTaskIds: [],
    contextId: "",
  };
  assertEquals(await reasonOf({ message, metadata: {}, configuration: {}, tenant: "" }), "ok");
});

/** Writes the members of all objects in the reverse order. */
function reverse(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).reverse().map((
      [name, member],
    ) => [name, isJsonObject(member) ? reverse(member) : member]),
  );
}

/** Renames the members that the protocol defines. Metadata and data keep their names. */
function toSnakeCase(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const isOpaque = name === "metadata" || name === "data";
      return [snake, isJsonObject(member) && !isOpaque ? toSnakeCase(member) : member];
    }),
  );
}

function replaceRaw(raw: string): JsonObject {
  return JSON.parse(JSON.stringify(SIGNED).replace('"raw":"+/8="', `"raw":"${raw}"`));
}

Deno.test("data may be nested as deep as an A2A endpoint accepts", async () => {
  const deep = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`);
  const message = { messageId: "1", role: "ROLE_USER", parts: [{ data: deep }] };
  const signed = await signA2aRequest({ message }, { signer: ANN, recipient: BOB.did });
  assertEquals(await reasonOf(signed), "ok");
});

Deno.test("verifyA2aRequest() accepts a request once, and only for its recipient", async () => {
  const verifier = verifierOf();
  assertEquals(await reasonOf(SIGNED, verifierOf(CAROL.did)), "recipient_mismatch");
  assertEquals(await reasonOf(SIGNED, verifier), "ok");
  assertEquals(await reasonOf(SIGNED, verifier), "replay_detected");
});

Deno.test("verifyA2aRequest() rejects a request that is too old", async () => {
  const verifier = createVerifier({
    recipient: BOB.did,
    policy: { require: "proof" },
    now: () => Date.now() + 400_000,
    verifyProof,
  });
  assertEquals(await reasonOf(SIGNED, verifier), "expired");
});

Deno.test("verifyA2aRequest() applies the policy of the verifier", async () => {
  const policy = { require: "proof", protocols: { [A2A_PROTOCOL]: "reject" } } as const;
  const strict = createVerifier({ recipient: BOB.did, policy, verifyProof });
  assertEquals(await reasonOf(SIGNED, strict), "sender_refused");
  const lenient = createVerifier({ recipient: BOB.did, policy: { require: "none" } });
  assertEquals(await reasonOf(SIGNED, lenient), "proof_invalid");
});

Deno.test("verifyA2aRequest() rejects a proof that is not valid", async () => {
  const carrier = carrierOf(SIGNED);
  const { proof, ...withoutProof } = carrier;
  const rows: readonly (readonly [JsonValue, string])[] = [
    ["x", "proof_invalid"],
    [[carrier], "proof_invalid"],
    [{}, "proof_invalid"],
    [withoutProof, "proof_missing"],
    [{ ...carrier, sender: CAROL.did }, "key_not_found"],
    [{ ...carrier, recipient: CAROL.did }, "recipient_mismatch"],
    [{ ...carrier, protocol: "a2a.message.v2" }, "proof_invalid"],
    [{ ...carrier, messageType: "other" }, "proof_invalid"],
    [{ ...carrier, payload: { ...objectOf(carrier.payload), x: 1 } }, "proof_invalid"],
    [{ ...carrier, payload: "sha-256:" }, "proof_invalid"],
    [{ ...carrier, timestamp: "2026-01-01T00:00:00Z" }, "expired"],
    [{ ...carrier, proof: { ...objectOf(proof), created: "2026-01-01T00:00:00Z" } }, "expired"],
  ];
  for (const [changed, reason] of rows) {
    assertEquals(await reasonOf(withCarrier(changed)), reason, JSON.stringify(changed));
  }
});

Deno.test("verifyA2aRequest() rejects a proof for another protocol with the same digest", async () => {
  const { payload = null } = carrierOf(SIGNED);
  const members = { sender: ANN.did, recipient: BOB.did, payload, messageType: "message" };
  const message = new AgentCommMessage({ ...members, protocol: "agent.task.v1" });
  const proven = await proveMessage(message, ANN);
  const verifier = createVerifier({
    recipient: BOB.did,
    policy: { require: "proof" },
    verifyProof,
  });
  assertEquals(await reasonOf(withCarrier(proven.toJSON()), verifier), "proof_invalid");
});

Deno.test("verifyA2aRequest() returns why a request is not valid", async () => {
  for (const request of [null, "x", [], {}, { message: {} }, withMessage({ parts: [] })]) {
    assertEquals(await reasonOf(request), "invalid_message");
  }
  const result = await verifyA2aRequest(withMessage({ parts: [{ text: 1 }] }), verifierOf());
  assert(!result.ok && result.error.is("invalid_message"));
  assertEquals(result.error.details, {
    field: "message.parts[0].text",
    reason: "must be a string",
  });
  const lone = withMessage({ metadata: { a: "\ud800" } });
  assertEquals(await reasonOf(lone), "invalid_message");
});

Deno.test("signed requests verify, and other requests do not", async () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 8 });
  const values = fc.jsonValue({ depthSize: "small" })
    .filter((value) => !JSON.stringify(value).includes("__proto__"))
    .map((value) => JSON.parse(JSON.stringify(value)));
  const requests = fc.record({
    message: fc.record({
      messageId: fc.constantFrom("a", "b"),
      role: fc.constantFrom("ROLE_USER", "ROLE_AGENT"),
      parts: fc.array(
        fc.oneof(fc.record({ text: texts }), fc.record({ data: values })),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    metadata: fc.dictionary(fc.constantFrom("x", "y"), values),
  });
  await fc.assert(
    fc.asyncProperty(requests, requests, async (first, second) => {
      const signed = await signA2aRequest(first, { signer: ANN, recipient: BOB.did });
      assertEquals(await reasonOf(signed), "ok");
      const carrier = carrierOf(signed);
      const moved = {
        ...second,
        message: {
          ...second.message,
          extensions: [A2A_SIGNED_MESSAGE],
          metadata: { [A2A_SIGNED_MESSAGE]: carrier },
        },
      };
      const isEqual = formatSorted(first) === formatSorted(second);
      assertEquals(await reasonOf(moved), isEqual ? "ok" : "proof_invalid");
    }),
    propertyRuns(50),
  );
});

Deno.test("signA2aRequest() and verifyA2aRequest() reject with the reason of a signal", async () => {
  const signal = AbortSignal.abort("stop");
  const options = { signer: ANN, recipient: BOB.did, signal };
  assertEquals(await signA2aRequest(REQUEST, options).catch((reason) => reason), "stop");
  const verifying = verifyA2aRequest(SIGNED, verifierOf(), { signal });
  assertEquals(await verifying.catch((reason) => reason), "stop");
});

Deno.test("verifyA2aRequest() rejects a value that is not a verifier", async () => {
  await assertRejects(
    () => verifyA2aRequest(SIGNED, {} as MessageVerifier),
    TypeError,
    '"verifier" must be a MessageVerifier',
  );
});

Deno.test("signA2aRequest() rejects invalid requests, signers and recipients", async () => {
  const options = { signer: ANN, recipient: BOB.did };
  const error = await assertRejects(() => signA2aRequest({}, options), CommError);
  assertEquals(error.code, "invalid_message");
  await assertRejects(
    () => signA2aRequest(REQUEST, { ...options, recipient: "bob" }),
    TypeError,
    '"recipient" must be a DID, got "bob"',
  );
  await assertRejects(
    () => signA2aRequest(REQUEST, { ...options, signer: {} as Signer }),
    TypeError,
    '"signer" must be a Signer',
  );
});

Deno.test("signA2aRequest() stops waiting for a signer when the signal aborts or time is up", async () => {
  const controller = new AbortController();
  const signer: Signer = {
    did: ANN.did,
    keyId: ANN.keyId,
    sign: () => {
      controller.abort("stop");
      return new Promise(() => {});
    },
  };
  const options = { signer, recipient: BOB.did };
  const { signal } = controller;
  assertEquals(
    await signA2aRequest(REQUEST, { ...options, signal }).catch((reason) => reason),
    "stop",
  );
  const error = await assertRejects(
    () => signA2aRequest(REQUEST, { ...options, timeoutMs: 1 }),
    CommError,
  );
  assertEquals(error.code, "timeout");
  const alias = { ...options, abortSignal: signal };
  await assertRejects(() => signA2aRequest(REQUEST, alias), TypeError, '"signal"');
});
