/**
 * Uses `@parley/comm`.
 *
 * @module
 */

import {
  AgentCommMessage,
  createSigner,
  generateSigner,
  type MessageSigner,
  signMessage,
  verifyMessage,
} from "@parley/comm";
import { canonicalize } from "@parley/comm/canonical-json";
import { webSocketTransport } from "@parley/comm/transport";
import { check, checkEqual } from "./assertions.ts";

/** Creates the agent that receives the messages. */
export async function createBob(): Promise<MessageSigner> {
  return await createSigner({ seed: new Uint8Array(32).fill(8) });
}

/**
 * Signs and verifies messages.
 *
 * @returns the signature of a fixed message, which is deterministic with Ed25519
 */
export async function useComm(): Promise<string> {
  checkEqual(canonicalize({ b: [1e21, "\u20ac"], a: {} }), `{"a":{},"b":[1e+21,"€"]}`, "JSON");
  const [ann, bob] = [await createSigner({ seed: new Uint8Array(32).fill(7) }), await createBob()];
  const message = await signMessage(
    new AgentCommMessage({
      id: "0198c0de-0000-7000-8000-000000000001",
      sender: ann.did,
      recipient: bob.did,
      protocol: "agent.task.v1",
      messageType: "task_assign",
      payload: { question: "6 * 7" },
      timestamp: "2026-01-02T03:04:05.678Z",
    }),
    ann,
  );
  check((await verifyMessage(message, { recipient: bob.did })).ok, "a signature does not verify");
  const forged = new AgentCommMessage({ ...message, payload: { question: "6 * 8" } });
  const { ok } = await verifyMessage(forged, { recipient: bob.did });
  check(!ok, "a forged message passes verification");
  const reply = await bob.reply(message, "task_result", { answer: 42 });
  check((await verifyMessage(reply, { recipient: ann.did })).ok, "a reply does not verify");
  return message.signature ?? "";
}

/** Sends a signed message to a server that returns a signed reply. */
export async function useWebSocket(url: string): Promise<void> {
  const [ann, bob] = [await generateSigner(), await createBob()];
  const transport = webSocketTransport(new WebSocket(url));
  try {
    const question = new AgentCommMessage({
      sender: ann.did,
      recipient: bob.did,
      protocol: "agent.task.v1",
      messageType: "task_assign",
      payload: "6 * 7",
    });
    await transport.send(await signMessage(question, ann));
    const answer = await transport.receive();
    checkEqual(answer?.payload, 42, "no reply over a WebSocket");
    checkEqual(answer?.correlationId, question.id, "the reply refers to another message");
    check(
      answer !== undefined && (await verifyMessage(answer, { recipient: ann.did })).ok,
      "the reply over a WebSocket does not verify",
    );
  } finally {
    await transport.close();
  }
}
