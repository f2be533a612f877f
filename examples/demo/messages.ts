/**
 * Messages between the two agents: signing, verification and reading of payloads.
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

/** Task protocols, in the order of the requester's preference. */
export const TASK_PROTOCOLS = ["agent.task.v2", "agent.task.v1"] as const;

/** An expected failure of the demo, of which only the message is printed. */
export class DemoError extends Error {
  override readonly name = "DemoError";
}

/** The part of a transport that the agents use. */
export type Line = Pick<MessageTransport, "send" | "receive">;

/** Members of a new message, except the sender. */
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

/** A received message that passed verification. */
export interface Received {
  readonly message: AgentCommMessage;
  /** Duration of the verification, in milliseconds. */
  readonly verifyMs: number;
}

/**
 * Receives the next message and verifies it.
 *
 * @returns The message, or `undefined` if the sender has closed the connection.
 * @throws {DemoError} If the message was not signed by its sender, or is addressed to another
 *   agent.
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

/** Returns a string member of a message's payload. */
export function readText(message: AgentCommMessage, name: string): string {
  const { payload } = message;
  const value = isObject(payload) ? payload[name] : undefined;
  if (typeof value !== "string") {
    throw new DemoError(`Cannot read ${message.messageType}: payload has no string "${name}"`);
  }
  return value;
}

/** Returns an array of strings in a message's payload. */
export function readTexts(message: AgentCommMessage, name: string): readonly string[] {
  const { payload } = message;
  const value = isObject(payload) ? payload[name] : undefined;
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === "string")) {
    throw new DemoError(
      `Cannot read ${message.messageType}: payload has no array of strings "${name}"`,
    );
  }
  return value;
}

/** Shortens a DID for display. */
export function shortDid(did: string): string {
  return did.length <= 24 ? did : `${did.slice(0, 14)}…${did.slice(-4)}`;
}

/** Returns `true` if a payload is an object. */
export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
