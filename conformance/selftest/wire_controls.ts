/**
 * Harmless changes that a relay makes in front of a correct MCP server.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { TASK_CONTROLS } from "./task_controls.ts";
import {
  onAnything,
  onError,
  onList,
  onResponse,
  onResult,
  result,
  type WireRule,
} from "./wire_rule.ts";

/** Changes that no case may fail on. */
export const WIRE_CONTROLS: readonly WireRule[] = [
  onAnything(
    "members-in-another-order",
    "members come in another order",
    (message) => [JSON.stringify(reversed(message))],
  ),
  onAnything(
    "slashes-escaped",
    "slashes are escaped",
    (message) => [JSON.stringify(message).replaceAll("/", "\\/")],
  ),
  onAnything(
    "letters-escaped",
    "letters in texts are escaped",
    (message) => [JSON.stringify(message).replace(/[è-ÿ]|(?<=[a-z])e(?=[a-z])/g, escapeUnicode)],
  ),
  onAnything(
    "carriage-returns",
    "lines end with a carriage return too",
    (message) => [`${JSON.stringify(message)}\r`],
  ),
  onAnything(
    "white-space",
    "members are set apart by white space",
    (message) => [` ${JSON.stringify(message).replaceAll('","', '" , "')} `],
  ),
  onResponse(
    "meta",
    "every result has a _meta of its own",
    (message) =>
      isObject(message.result)
        ? result(message, {
          ...message.result,
          _meta: {
            ...(isObject(message.result._meta) ? message.result._meta : {}),
            "x.example/a": 1,
          },
        })
        : message,
  ),
  onResult(
    "extra-capability",
    "a capability that nobody knows is declared",
    "initialize",
    (result) => ({
      ...result,
      capabilities: {
        ...(isObject(result.capabilities) ? result.capabilities : {}),
        "x.example/a": {},
      },
    }),
  ),
  onResult("instructions", "the server has instructions", "initialize", (result) => ({
    ...result,
    instructions: "Use the tools.",
  })),
  onResult("titled-server", "serverInfo has more to say", "initialize", (result) => ({
    ...result,
    serverInfo: { ...(isObject(result.serverInfo) ? result.serverInfo : {}), title: "A server" },
  })),
  onList(
    "titled-tools",
    "tools have titles and annotations",
    "tools",
    (items) =>
      items.map((item) => ({ ...item, title: "A tool", annotations: { readOnlyHint: true } })),
  ),
  onError("other-words", "error messages have other words", (error) => ({
    ...error,
    message: "Das ging nicht",
  })),
  onError("error-data", "errors have data", (error) => ({ data: { hint: 1 }, ...error })),
  {
    ...onResponse(
      "notifications-between",
      "a notification comes before every response",
      (message) => message,
      [
        {
          jsonrpc: "2.0",
          method: "notifications/message",
          // Below this no client can set its level.
          params: { level: "emergency", data: "busy" },
        },
      ],
    ),
    // Over HTTP, an answer of two messages is a stream, which not every request may be answered by.
    transports: ["stdio"],
  },
  ...TASK_CONTROLS,
];

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).reverse().map(([name, item]) => [name, reversed(item)]),
  );
}

function escapeUnicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
