/**
 * Rules on the capabilities that messages need.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { type Dialogue, metaOf, paramsOf, type Seen, type WireObject } from "./dialogue.ts";

const MODERN = "2026-07-28";
/** First version that demands that both sides use only negotiated capabilities. */
const FIRST_STRICT = "2025-06-18";

/** Capability of the server that each request of a client needs: its path. */
const SERVER_FEATURES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["tools/list", ["tools"]],
  ["tools/call", ["tools"]],
  ["prompts/list", ["prompts"]],
  ["prompts/get", ["prompts"]],
  ["resources/list", ["resources"]],
  ["resources/read", ["resources"]],
  ["resources/templates/list", ["resources"]],
  ["resources/subscribe", ["resources", "subscribe"]],
  ["resources/unsubscribe", ["resources", "subscribe"]],
  ["logging/setLevel", ["logging"]],
  ["completion/complete", ["completions"]],
]);

/** Capability of the client that each request of a server needs: its path. */
const CLIENT_FEATURES: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["sampling/createMessage", ["sampling"]],
  ["elicitation/create", ["elicitation"]],
  ["roots/list", ["roots"]],
]);

/** Capability of the server that each of its notifications needs: its path. */
const SERVER_NOTIFICATIONS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["notifications/message", ["logging"]],
  ["notifications/tools/list_changed", ["tools", "listChanged"]],
  ["notifications/prompts/list_changed", ["prompts", "listChanged"]],
  ["notifications/resources/list_changed", ["resources", "listChanged"]],
  ["notifications/resources/updated", ["resources", "subscribe"]],
]);

/**
 * Finds messages of a server for which a capability is missing: requests that the client does not
 * support, and notifications that the server has not declared.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation
 */
export function findServerCapabilityProblems(
  { message, kind, version, phase }: Seen,
  { serverCapabilities, clientCapabilities }: Dialogue,
): readonly string[] {
  const { method } = message;
  const isStrict = method === "notifications/message" || (version ?? "") >= FIRST_STRICT;
  if (kind === "notification") {
    const path = SERVER_NOTIFICATIONS.get(method);
    if (path === undefined || serverCapabilities === undefined || !isStrict) return [];
    return has(serverCapabilities, path)
      ? []
      : [`"${String(method)}" without the capability ${path.join(".")}`];
  }
  if (kind !== "request") return [];
  if (version === MODERN) return [`the server sent the request ${show(message, 200)}`];
  const path = CLIENT_FEATURES.get(method);
  if (path === undefined || phase === "new" || !isStrict) return [];
  if (has(clientCapabilities, path)) return [];
  return [`"${String(method)}" to a client without the capability ${path.join(".")}`];
}

/**
 * Finds requests of a client that the server does not support.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#operation
 */
export function findClientCapabilityProblems(
  { message: { method }, kind, version }: Seen,
  { serverCapabilities }: Dialogue,
): readonly string[] {
  const isStrict = version !== undefined && version >= FIRST_STRICT && version < MODERN;
  const path = SERVER_FEATURES.get(method);
  if (kind !== "request" || !isStrict || path === undefined) return [];
  if (serverCapabilities === undefined || has(serverCapabilities, path)) return [];
  return [`"${String(method)}" to a server without the capability ${path.join(".")}`];
}

/** Severities of log messages, least severe first. */
const LEVELS: readonly unknown[] = "debug info notice warning error critical alert emergency".split(
  " ",
);

/**
 * Finds log messages of a modern server that no open request has asked for.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
export function findLogProblems(
  { message, version, exchange }: Seen,
  dialogue: Dialogue,
): readonly string[] {
  if (version !== MODERN || message.method !== "notifications/message") return [];
  const requests = exchange === undefined
    ? dialogue.openRequests("kit")
    : dialogue.requestsWithin(exchange);
  const wanted = requests.map((asked) =>
    LEVELS.indexOf(metaOf(asked.message)["io.modelcontextprotocol/logLevel"])
  ).filter((level) => level >= 0);
  if (wanted.length === 0) return [`a log message without a log level: ${show(message, 200)}`];
  const level = LEVELS.indexOf(paramsOf(message).level);
  return level < 0 || level >= Math.min(...wanted)
    ? []
    : [`a log message below the log level of the request: ${show(message, 200)}`];
}

function has(capabilities: WireObject | undefined, path: readonly string[]): boolean {
  let value: unknown = capabilities;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return path.length === 1 ? isObject(value) : value === true;
}
