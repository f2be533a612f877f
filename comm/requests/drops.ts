/**
 * Reports of messages that a peer drops or does not read.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { quote } from "@parley/internal/format-value";
import { callInBackground } from "@parley/internal/timers";
import { CommError, invalidMessage } from "../shared/error.ts";
import type { MessageTransport } from "../transport/transport.ts";

/** Creates the error for a message that is not part of a request, if there is no `onMessage`. */
export function notAccepted(message: AgentCommMessage, protocol: string): CommError {
  const { sender, protocol: offered, messageType } = message;
  if (offered === protocol) {
    const reason = `must be absent in a message of type ${quote(messageType)} from ${
      quote(sender)
    }; set "onMessage" to receive messages that are not requests`;
    return invalidMessage("correlationId", reason);
  }
  return new CommError({
    code: "no_common_protocol",
    details: { offered: [offered], supported: [protocol] },
    message: `Cannot accept message of protocol ${quote(offered)} from ${quote(sender)}: ` +
      `this peer has protocol ${quote(protocol)}; set "onMessage" to receive other messages`,
  });
}

/** Time after which messages that are not read are reported, in milliseconds. */
const WARN_AFTER_MS = 10_000;

/**
 * Reports once that a transport has messages that the peer does not read, because the program has
 * not started the peer. Returns a function that stops watching. There is no timer until a message
 * is waiting, and the timer does not keep a process running.
 */
export function watchUnread(
  transport: MessageTransport,
  report: (error: Error) => void,
): () => void {
  let isStopped = false;
  let stopTimer = (): void => {};
  const warn = (): void => {
    const unread = countUnread(transport);
    if (unread === 0) return;
    const messages = unread === 1 ? "1 message is" : `${unread} messages are`;
    report(new Error(`${messages} not read: call serve() of the peer, or request()`));
  };
  const wait = async (): Promise<void> => {
    await transport.whenUnread?.();
    if (isStopped || transport.whenUnread === undefined) return;
    stopTimer = callInBackground(warn, WARN_AFTER_MS);
  };
  // A transport that cannot be watched, such as a proxy for a transport, is not an error.
  wait().catch(() => {});
  return () => {
    isStopped = true;
    stopTimer();
  };
}

/** Returns the number of unread messages, or 0 if a third-party transport throws an error. */
function countUnread(transport: MessageTransport): number {
  try {
    return transport.unread ?? 0;
  } catch {
    return 0;
  }
}
