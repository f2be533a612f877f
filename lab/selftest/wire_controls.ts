/**
 * Controls: harmless changes that a relay makes to a correct MCP server.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";
import { TASK_CONTROLS } from "./task_controls.ts";
import {
  type FaultRule,
  type Message,
  onAnything,
  onError,
  onList,
  onResponse,
  onResult,
  result,
  type RuleContext,
} from "./fault_rule.ts";

/** Harmless changes to the content of messages. */
const SAID: readonly FaultRule[] = [
  onResponse(
    "meta",
    "every result has a _meta with an unknown member",
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
  onOpening(
    "extra-capability",
    "an unknown capability is declared",
    (result) => ({
      ...result,
      capabilities: {
        ...(isObject(result.capabilities) ? result.capabilities : {}),
        "x.example/a": {},
      },
    }),
  ),
  onOpening("instructions", "the server has instructions", (result) => ({
    ...result,
    instructions: "Use the tools.",
  })),
  onResult("titled-server", "serverInfo has additional members", "initialize", (result) => ({
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
  onError("other-words", "error messages are worded differently", (error) => ({
    ...error,
    message: "Das ging nicht",
  })),
  onError("error-data", "errors have a data member", (error) => ({ data: { hint: 1 }, ...error })),
];

/** A change to the JSON text of messages that preserves the content of the messages. */
interface Spelling {
  readonly id: string;
  readonly title: string;
  readonly spell: (text: string) => string;
}

const SPELLINGS: readonly Spelling[] = [
  {
    id: "members-in-another-order",
    title: "members are in a different order",
    spell: (text) => JSON.stringify(reversed(JSON.parse(text))),
  },
  {
    id: "slashes-escaped",
    title: "slashes are escaped",
    spell: (text) => text.replaceAll("/", "\\/"),
  },
  {
    id: "letters-escaped",
    title: "letters in strings are escaped",
    spell: (text) => text.replace(/[è-ÿ]|(?<=[a-z])e(?=[a-z])/g, escapeUnicode),
  },
  {
    id: "white-space",
    title: "members are separated by whitespace",
    spell: (text) => ` ${text.replaceAll('","', '" , "')} `,
  },
  {
    id: "carriage-returns",
    title: "lines end with a carriage return and a line feed",
    spell: (text) => `${text}\r`,
  },
];

/**
 * One control per change, on one transport, to find the cause if the combination of all changes
 * fails a case.
 */
const EACH: readonly FaultRule[] = [
  ...SPELLINGS.map(({ id, title, spell }) =>
    onAnything(id, title, (message) => [spell(JSON.stringify(message))])
  ),
  ...SAID,
  onResponse(
    "notifications-between",
    "a notification is sent before every response",
    (message) => message,
    [
      {
        jsonrpc: "2.0",
        method: "notifications/message",
        // `emergency` is the highest level, so no client can filter out the message.
        params: { level: "emergency", data: "busy" },
      },
    ],
  ),
];

/**
 * Cases with cancellations, a task that expires, and checks that nothing arrives. All cases would
 * take five minutes.
 */
const TIMED_CASES = ["mcp/progress/*", "mcp/tasks/expired"];

/** A slow network. Each message takes 400 ms in each direction. */
const LATENCY: readonly FaultRule[] = [
  {
    id: "latency",
    title: "messages take 400 ms",
    delayMs: 400,
    cases: { revision: "2025-11-25", only: TIMED_CASES },
  },
  {
    id: "newest-latency",
    title: "messages take 400 ms, in the latest protocol version",
    delayMs: 400,
    cases: { revision: "2026-07-28", only: TIMED_CASES },
  },
];

/** Controls for messages. A control is a harmless change, so no case may fail because of it. */
export const WIRE_CONTROLS: readonly FaultRule[] = [
  ...EACH.map((rule): FaultRule => ({ ...rule, transports: ["stdio"] })),
  {
    id: "otherwise",
    title: "all harmless changes combined",
    transports: ["http"],
    answer: sayOtherwise,
  },
  {
    id: "newest-otherwise",
    title: "all harmless changes combined, in the latest protocol version",
    cases: { revision: "2026-07-28" },
    answer: sayOtherwise,
  },
  ...TASK_CONTROLS,
  ...LATENCY,
];

function sayOtherwise(message: Message, context: RuleContext): readonly string[] {
  const said = SAID.reduce<readonly (Message | string)[]>(
    (messages, { answer }) =>
      messages.flatMap((each) => isObject(each) ? answer?.(each, context) ?? each : each),
    [message],
  );
  return said.map((each) =>
    SPELLINGS.reduce((text, { spell }) => spell(text), JSON.stringify(each))
  );
}

/** Creates a change to the results of `initialize` and `server/discover`. */
function onOpening(id: string, title: string, change: (value: Message) => Message): FaultRule {
  return {
    id,
    title,
    answer: (message, { request }) =>
      ["initialize", "server/discover"].includes(String(request?.method)) &&
        isObject(message.result)
        ? [result(message, change(message.result))]
        : [message],
  };
}

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
