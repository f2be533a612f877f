import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { decodeHex } from "@std/encoding/hex";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { formatBase64url } from "../shared/base64url.ts";
import { CommError } from "../shared/error.ts";
import { AgentCommMessage } from "../message/message.ts";
import type { AgentCommMessageInit } from "../message/message_members.ts";
import { formatMessage, parseMessage } from "../message/message_json.ts";
import { createSigner, SIGNED_MEMBERS, signingPayload, signMessage } from "./signing.ts";
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

async function reasonOf(message: AgentCommMessage): Promise<string> {
  const result = await verifyMessage(message, { recipient: "any" });
  return result.ok ? "ok" : result.reason;
}

Deno.test("verifyMessage() returns the key and the covered members", async () => {
  const signed = await signMessage(new AgentCommMessage(INIT), ANN);
  assertEquals(await verifyMessage(signed, { recipient: BOB.did }), {
    ok: true,
    level: "signature",
    keyId: `${ANN.did}#${ANN.did.slice("did:key:".length)}`,
    covered: SIGNED_MEMBERS,
  });
});

Deno.test("verifyMessage() accepts a reformatted message", async () => {
  const signed = await signMessage(
    new AgentCommMessage({ ...INIT, payload: { b: [1], a: "é" } }),
    ANN,
  );
  const pretty = JSON.stringify(JSON.parse(formatMessage(signed)), null, 2);
  assert((await verifyMessage(parseMessage(pretty), { recipient: BOB.did })).ok);
});

Deno.test("verifyMessage() detects a change to any covered member", async () => {
  const signed = await signMessage(new AgentCommMessage({ ...INIT, correlationId: "c" }), ANN);
  const changes: readonly Partial<AgentCommMessageInit>[] = [
    { id: INIT.id?.toUpperCase() },
    { correlationId: "d" },
    { correlationId: undefined },
    { recipient: ANN.did },
    { sender: BOB.did },
    { protocol: "agent.task.v2" },
    { messageType: "task_assign " },
    { payload: false },
    { payload: [] },
  ];
  for (const change of changes) {
    assertEquals(
      await reasonOf(new AgentCommMessage({ ...signed, ...change })),
      "signature_invalid",
    );
  }
});

Deno.test("verifyMessage() ignores changes to replyTo, timestamp and extensions", async () => {
  const signed = await signMessage(new AgentCommMessage(INIT), ANN);
  const changes: readonly Partial<AgentCommMessageInit>[] = [
    { replyTo: "elsewhere" },
    { timestamp: "2027-01-02T03:04:05.678Z" },
    { extensions: { note: "added" } },
  ];
  for (const change of changes) {
    assertEquals(await reasonOf(new AgentCommMessage({ ...signed, ...change })), "ok");
  }
});

Deno.test("verifyMessage() detects any change to the payload", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (before, after) => {
      const payload = JSON.parse(JSON.stringify(before));
      const changed = JSON.parse(JSON.stringify(after));
      const signed = await signMessage(new AgentCommMessage({ ...INIT, payload }), ANN);
      const tampered = new AgentCommMessage({ ...signed, payload: changed });
      assertEquals(
        (await verifyMessage(tampered, { recipient: BOB.did })).ok,
        tampered.equals(signed),
      );
    }),
    propertyRuns(50),
  );
});

Deno.test("verifyMessage() accepts exactly one encoding of a signature", async () => {
  const { signature = "" } = await signMessage(new AgentCommMessage(INIT), ANN);
  const malformed = [
    `${signature}==`,
    `${signature.slice(0, -1)}x`,
    signature.replaceAll("-", "+").replaceAll("_", "/"),
    signature.slice(0, -2),
    `${signature}AA`,
    `${signature.slice(0, 40)} ${signature.slice(40)}`,
    `${signature}\n`,
  ];
  for (const text of malformed) {
    const message = new AgentCommMessage({ ...INIT, signature: text });
    assertEquals(await reasonOf(message), "signature_malformed", text);
  }
});

Deno.test("verifyMessage() rejects an unsigned message, a wrong key and a wrong recipient", async () => {
  const unsigned = new AgentCommMessage(INIT);
  assertEquals(await reasonOf(unsigned), "signature_missing");
  const foreign = formatBase64url(await BOB.sign(signingPayload(unsigned)));
  assertEquals(
    await reasonOf(new AgentCommMessage({ ...unsigned, signature: foreign })),
    "signature_invalid",
  );
  const signed = await signMessage(unsigned, ANN);
  const result = await verifyMessage(signed, { recipient: ANN.did });
  assertEquals(result.ok || result.reason, "recipient_mismatch");
});

Deno.test("verifyMessage() returns a reason if the sender cannot be resolved", async () => {
  const signature = "A".repeat(86);
  const senders = {
    "did:web:ann.example": "did_method_unsupported",
    "did:key:z6MkNoKey": "did_invalid",
    "did:jwk:e30": "key_not_found",
  };
  for (const [sender, reason] of Object.entries(senders)) {
    assertEquals(await reasonOf(new AgentCommMessage({ ...INIT, sender, signature })), reason);
  }
});

Deno.test("verifyMessage() distinguishes a failed resolver from an aborted signal", async () => {
  const signed = await signMessage(new AgentCommMessage(INIT), ANN);
  const resolver = { resolve: () => Promise.reject(new Error("down")) };
  const result = await verifyMessage(signed, { recipient: BOB.did, resolver });
  assertEquals(result.ok || result.reason, "did_resolution_failed");
  const controller = new AbortController();
  const reason = new Error("enough");
  const pending = verifyMessage(signed, {
    recipient: BOB.did,
    resolver: {
      resolve: () => {
        controller.abort(reason);
        return Promise.reject(new Error("down"));
      },
    },
    signal: controller.signal,
  });
  assertEquals(await assertRejects(() => pending), reason);
  await assertRejects(
    () => verifyMessage(signed, { recipient: BOB.did, signal: controller.signal }),
    Error,
    "enough",
  );
});

Deno.test("verifyMessage() does not resolve the sender of an invalid message", async () => {
  const signed = await signMessage(new AgentCommMessage(INIT), ANN);
  const asked: string[] = [];
  const resolver = {
    resolve: (did: string) => {
      asked.push(did);
      return Promise.reject(new Error("down"));
    },
  };
  for (const sender of ["nobody", "", undefined, {}]) {
    const like = Object.assign(Object.create(AgentCommMessage.prototype), signed, { sender });
    await assertRejects(
      () => verifyMessage(like, { recipient: BOB.did, resolver }),
      CommError,
      "sender",
    );
  }
  assertEquals(asked, []);
});

Deno.test("verifyMessage() ignores changes made to the message after the call", async () => {
  const signed = await signMessage(new AgentCommMessage({ ...INIT, recipient: ANN.did }), ANN);
  const like = Object.assign(Object.create(AgentCommMessage.prototype), signed);
  like.recipient = BOB.did;
  const verifying = verifyMessage(like, { recipient: BOB.did });
  like.recipient = ANN.did;
  assertFalse((await verifying).ok);
});
