/**
 * The requester, an agent that sends a question to the librarian.
 *
 * @module
 */
import { createProtocolOffer, type MessageSigner } from "@parley/comm";
import {
  DemoError,
  type Line,
  NEGOTIATION,
  readText,
  type Received,
  receiveVerified,
  sendSigned,
  shortDid,
  TASK_PROTOCOLS,
} from "./messages.ts";
import type { Report } from "./report.ts";

/** Options for `askLibrarian`. */
export interface RequesterOptions {
  readonly signer: MessageSigner;
  readonly transport: Line;
  readonly librarianDid: string;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/**
 * Negotiates a protocol, sends the question as a signed task and returns the verified answer.
 *
 * @throws {DemoError} If the librarian cannot answer, or if its answer fails verification.
 */
export async function askLibrarian(question: string, options: RequesterOptions): Promise<string> {
  const { signer, transport, librarianDid, report } = options;
  const protocol = await agreeOnProtocol(options);
  const task = await sendSigned(transport, signer, {
    recipient: librarianDid,
    protocol,
    messageType: "task_assign",
    payload: { question },
  });
  report.show({
    who: "requester",
    event: "task_sent",
    text: `sends the signed question: ${question}`,
    data: { id: task.id, protocol, question },
  });
  const { message, verifyMs } = await next(options);
  if (message.correlationId !== task.id) {
    throw new DemoError(`Cannot accept ${message.messageType}: not a reply to the task`);
  }
  if (message.messageType === "error") throw new DemoError(readText(message, "message"));
  report.show({
    who: "requester",
    event: "result_verified",
    text: `verified ${message.messageType}: signed by ${
      shortDid(message.sender)
    }, addressed to this agent, unchanged`,
    durationMs: verifyMs,
    data: { id: message.id, correlationId: message.correlationId },
  });
  return readText(message, "answer");
}

async function agreeOnProtocol(options: RequesterOptions): Promise<string> {
  const { signer, transport, librarianDid, report } = options;
  const offer = createProtocolOffer({ offererDid: signer.did, protocols: TASK_PROTOCOLS });
  const started = performance.now();
  await sendSigned(transport, signer, {
    recipient: librarianDid,
    protocol: NEGOTIATION,
    messageType: "offer",
    payload: { ...offer },
  });
  report.show({
    who: "requester",
    event: "offer_sent",
    text: `offers ${offer.protocols.join(", ")}`,
    data: { protocols: offer.protocols },
  });
  const { message } = await next(options);
  if (message.messageType === "error") throw new DemoError(readText(message, "message"));
  const selected = readText(message, "selectedProtocol");
  if (!offer.protocols.includes(selected)) {
    throw new DemoError(
      `Cannot negotiate protocol: the librarian selected "${selected}", which was not offered`,
    );
  }
  report.show({
    who: "requester",
    event: "protocol_agreed",
    text: `agreed on ${selected}`,
    durationMs: performance.now() - started,
    data: { protocol: selected },
  });
  return selected;
}

async function next(
  { signer, transport, librarianDid, signal }: RequesterOptions,
): Promise<Received> {
  const received = await receiveVerified(transport, signer.did, signal);
  if (received === undefined) {
    throw new DemoError("Cannot receive message: the librarian closed the connection");
  }
  if (received.message.sender !== librarianDid) {
    throw new DemoError(
      `Cannot accept message: sender ${shortDid(received.message.sender)} is not the librarian`,
    );
  }
  return received;
}
