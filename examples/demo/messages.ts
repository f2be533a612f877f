/**
 * What the two agents say to each other, and how they make sure who said it.
 *
 * @module
 */
import {
  AgentCommMessage,
  type JsonObject,
  type JsonValue,
  type MessageSigner,
  type MessageTransport,
  signMessage,
  verifyMessage,
} from "@parley/comm";

/** Protocol of the messages that offer and accept a task protocol. */
export const NEGOTIATION = "parley.negotiation.v1";

/** The protocols of the work itself, as the requester prefers them. */
export const TASK_PROTOCOLS = ["agent.task.v2", "agent.task.v1"] as const;

/** An expected failure of the demo; its message is all that is shown. */
export class DemoError extends Error {
  override readonly name = "DemoError";
}

/** The part of a transport that the agents use. */
export type Line = Pick<MessageTransport, "send" | "receive">;

/** What a new message needs beside its sender. */
export interface Outgoing {
  readonly recipient: string;
  readonly protocol: string;
  readonly messageType: string;
  readonly payload: JsonValue;
}

/** Signs a message and sends it. */
export async function sendSigned(
  transport: Line,
  signer: MessageSigner,
  { recipient, protocol, messageType, payload }: Outgoing,
): Promise<AgentCommMessage> {
  const message = new AgentCommMessage({
    sender: signer.did,
    recipient,
    protocol,
    messageType,
    payload,
  });
  const signed = await signMessage(message, signer);
  await transport.send(signed);
  return signed;
}

/** A message that was received and proven. */
export interface Received {
  readonly message: AgentCommMessage;
  /** How long the verification took. */
  readonly verifyMs: number;
}

/**
 * Receives the next message and verifies it.
 *
 * @returns undefined when the other side closed
 * @throws {DemoError} when the message is not its sender's, or not for this agent
 */
export async function receiveVerified(
  transport: Line,
  recipient: string,
  signal: AbortSignal,
): Promise<Received | undefined> {
  const message = await transport.receive({ signal });
  if (message === undefined) return undefined;
  const started = performance.now();
  const verdict = await verifyMessage(message, { recipient });
  if (!verdict.ok) {
    throw new DemoError(
      `Cannot accept ${message.messageType} from ${
        shortDid(message.sender)
      }: ${verdict.error.message}`,
    );
  }
  return { message, verifyMs: performance.now() - started };
}

/** A text member of a message's payload. */
export function readText(message: AgentCommMessage, name: string): string {
  const { payload } = message;
  const value = isObject(payload) ? payload[name] : undefined;
  if (typeof value !== "string") {
    throw new DemoError(`Cannot read ${message.messageType}: its payload has no text "${name}"`);
  }
  return value;
}

/** The texts of a list in a message's payload. */
export function readTexts(message: AgentCommMessage, name: string): readonly string[] {
  const { payload } = message;
  const value = isObject(payload) ? payload[name] : undefined;
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === "string")) {
    throw new DemoError(`Cannot read ${message.messageType}: its payload has no texts "${name}"`);
  }
  return value;
}

/** A DID as a person can tell it from another. */
export function shortDid(did: string): string {
  return did.length <= 24 ? did : `${did.slice(0, 14)}…${did.slice(-4)}`;
}

/** Whether a payload is an object. */
export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
