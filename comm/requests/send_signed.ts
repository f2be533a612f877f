/**
 * Signs and sends messages within a timeout.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { abortable } from "@parley/internal/abortable";
import { timedOut } from "../shared/error.ts";
import { quote } from "@parley/internal/format-value";
import type { Signer } from "../signing/signer.ts";
import { signMessage } from "../signing/signing.ts";
import type { MessageTransport } from "../transport/transport.ts";
import { startDeadline } from "@parley/internal/deadline";

/** Options for {@linkcode sendSigned}. */
export interface SendOptions {
  readonly signer: Signer;
  readonly transport: MessageTransport;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Signs a message and passes it to the transport, within a timeout. */
export async function sendSigned(
  message: AgentCommMessage,
  { signer, transport, signal, timeoutMs }: SendOptions,
): Promise<void> {
  const deadline = startDeadline([signal], {
    timeoutMs,
    reason: () => timedOut(`send message to ${quote(message.recipient)}`, timeoutMs),
  });
  try {
    const signing = signMessage(message, signer, { signal: deadline.signal });
    const signed = await abortable(signing, deadline.signal);
    await abortable(transport.send(signed, { signal: deadline.signal }), deadline.signal);
  } finally {
    deadline.stop();
  }
}
