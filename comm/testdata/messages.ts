/**
 * Messages for tests that do not depend on the message content.
 *
 * @module
 */

import type { JsonValue } from "../shared/json.ts";
import { AgentCommMessage } from "../message/message.ts";

/** Creates an unsigned message with an id and a payload. */
export function createMessage(id: number | string, payload: JsonValue = null): AgentCommMessage {
  return new AgentCommMessage({
    id: String(id),
    sender: "did:web:ann.example",
    recipient: "did:web:bob.example",
    protocol: "agent.task.v1",
    messageType: "notification",
    payload,
  });
}
