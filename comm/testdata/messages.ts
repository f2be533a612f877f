/**
 * Messages for tests that do not depend on the message content.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";
import { AgentCommMessage } from "../message/message.ts";

/** Creates an unsigned message with an id and a payload. Equal arguments create equal messages. */
export function createMessage(id: number | string, payload: JsonValue = null): AgentCommMessage {
  return new AgentCommMessage({
    id: String(id),
    timestamp: "2026-01-02T03:04:05.678Z",
    sender: "did:web:ann.example",
    recipient: "did:web:bob.example",
    protocol: "agent.task.v1",
    messageType: "notification",
    payload,
  });
}
