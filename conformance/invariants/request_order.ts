/**
 * Rules on the order and the form of a client's messages.
 *
 * @module
 */

import { show } from "../kit/match_value.ts";
import { type Dialogue, hasVersion, type Seen } from "./dialogue.ts";

const MODERN = "2026-07-28";

/**
 * Finds violations of the rules on the opening of a session: `initialize` is the first request, and
 * `notifications/initialized` precedes all others. Responses are sent only in legacy versions.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export function findOrderProblems(
  { message, kind, phase, version, exchange }: Seen,
  dialogue: Dialogue,
): readonly string[] {
  if (kind === "response") {
    const isForbidden = version === MODERN && exchange !== undefined;
    return isForbidden ? [`a response of the client: ${show(message, 200)}`] : [];
  }
  if (kind !== "request" || hasVersion(message)) return [];
  if (message.method === "initialize" || message.method === "ping") return [];
  if (phase === "new" && !dialogue.isDisturbed && dialogue.version === undefined) {
    return [`the request "${String(message.method)}" before "initialize"`];
  }
  if (phase !== "answered" || dialogue.isDisturbed) return [];
  // Over HTTP, two messages that are sent in order can arrive in another order.
  const isLate = exchange === undefined || dialogue.uninitialized > 0;
  dialogue.uninitialized++;
  return isLate
    ? [`the request "${String(message.method)}" before "notifications/initialized"`]
    : [];
}
