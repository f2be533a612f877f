/**
 * Faults and harmless changes that a relay can make in front of a correct MCP server.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";

/** A message on the wire. */
export type Message = Readonly<Record<string, unknown>>;

/** What a rule may look at. */
export interface RuleContext {
  /** The request that the message answers. */
  readonly request?: Message;
}

/** One change of what passes by; what a rule does not have is passed on as it is. */
export interface WireRule {
  /** The mutant's id, or the control's name. */
  readonly id: string;
  /** What is changed. */
  readonly title: string;
  /** Changes a message from the server: what to send in its place, messages or raw lines. */
  readonly answer?: (message: Message, context: RuleContext) => readonly (Message | string)[];
  /** Answers a line from the client in the server's place; undefined passes it on. */
  readonly intercept?: (
    line: string,
    message: Message | undefined,
  ) => readonly Message[] | "exit" | undefined;
  /** Whether the next request waits until the one before is answered. */
  readonly isSerial?: boolean;
}

/** Faults; every case that names the id in `catches` must fail. */
export const WIRE_MUTANTS: readonly WireRule[] = [
  onResponse("C01", "responses lack jsonrpc", ({ jsonrpc: _, ...rest }) => rest),
  onResponse(
    "C02",
    "ids come back as texts",
    (message) => ({ ...message, id: String(message.id) }),
  ),
  onResponse("C03", "ids come back as null", (message) => ({ ...message, id: null })),
  onResponse("C04", "a response has result and error", (message) => ({
    result: {},
    error: { code: 0, message: "" },
    ...message,
  })),
  onError("C05", "every error has the code -32603", (error) => ({ ...error, code: -32603 })),
  onError("C06", "errors have no message", ({ message: _, ...rest }) => rest),
  onResponse(
    "C07",
    "errors become empty results",
    (message) => "error" in message ? emptyResult(message) : message,
  ),
  onResponse(
    "C08",
    "unknown methods get an empty result",
    (message) => hasCode(message, -32601) ? emptyResult(message) : message,
  ),
  {
    id: "C09",
    title: "unreadable lines are passed over in silence",
    answer: (message) => hasCode(message, -32700) ? [] : [message],
  },
  {
    id: "C10",
    title: "an unreadable line ends the server",
    intercept: (_line, message) => message === undefined ? "exit" : undefined,
  },
  {
    id: "C11",
    title: "notifications are answered",
    intercept: (_line, message) =>
      message !== undefined && "method" in message && !("id" in message) &&
        message.method !== "notifications/initialized"
        ? [{ jsonrpc: "2.0", id: "stray", result: {} }]
        : undefined,
  },
  {
    id: "C12",
    title: "responses come twice",
    answer: (message) => "method" in message ? [message] : [message, message],
  },
  { id: "C13", title: "a slow tool holds up a ping", isSerial: true },
  onResult("C14", "initialize echoes any version", "initialize", (result, params) => ({
    ...result,
    protocolVersion: params.protocolVersion,
  })),
  onResult("C15", "initialize answers with the oldest version", "initialize", (result) => ({
    ...result,
    protocolVersion: "2024-11-05",
  })),
  {
    id: "C16a",
    title: "a capability is declared and not served",
    answer: (message, { request }) =>
      String(request?.method).endsWith("/list")
        ? [{ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } }]
        : [message],
  },
  onResult("C16b", "a capability is served and not declared", "initialize", (result) => ({
    ...result,
    capabilities: {},
  })),
  onResult("C17", "serverInfo has no version", "initialize", (result) => ({
    ...result,
    serverInfo: { name: "nameless" },
  })),
  {
    id: "C18",
    title: "an unknown tool becomes an isError result",
    answer: (message, { request }) =>
      request?.method === "tools/call" && hasCode(message, -32602)
        ? [result(message, { content: [{ type: "text", text: "unknown tool" }], isError: true })]
        : [message],
  },
  onToolError("C19", "a failing tool becomes an error response", ({ id }) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32603, message: "the tool failed" },
  })),
  onToolError("C20", "a failing tool's stack reaches the client", (message) =>
    result(message, {
      content: [{ type: "text", text: "Error: no\n    at run (file:///srv/tool.ts:12:3)" }],
      isError: true,
    })),
  onToolError("C21", "isError is dropped", (message) => {
    const { isError: _, ...rest } = isObject(message.result) ? message.result : {};
    return result(message, rest);
  }),
  onToolError(
    "C22",
    "arguments are not validated",
    (message, params) =>
      params.name === "add_numbers"
        ? result(message, { content: [{ type: "text", text: "NaN" }] })
        : message,
  ),
  onList("C23a", "two tools have one name", "tools", (items) => [...items, ...items.slice(0, 1)]),
  onList(
    "C23b",
    "tools have no inputSchema",
    "tools",
    (items) => items.map(({ inputSchema: _, ...rest }) => rest),
  ),
  onResult(
    "C24",
    "nextCursor never ends",
    "tools/list",
    (list) => ({ ...list, nextCursor: "again" }),
  ),
  onContents("C25a", "a resource is answered with another uri", (item) => ({
    ...item,
    uri: "test://other",
  })),
  onContents("C25b", "contents have text and blob", (item) => ({ text: "", blob: "", ...item })),
  {
    id: "C25c",
    title: "a resource that does not exist has empty contents",
    answer: (message, { request }) =>
      request?.method === "resources/read" && "error" in message
        ? [result(message, { contents: [] })]
        : [message],
  },
  {
    id: "C26a",
    title: "a required prompt argument is not required",
    answer: (message, { request }) =>
      request?.method === "prompts/get" && hasCode(message, -32602) &&
        paramsOf(request).name === "test_prompt_with_arguments"
        ? [
          result(message, { messages: [promptMessage("Prompt with arguments: arg1='', arg2=''")] }),
        ]
        : [message],
  },
  onResult("C26b", "prompt arguments are not used", "prompts/get", (prompt) => ({
    ...prompt,
    messages: [promptMessage("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")],
  })),
];

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
  onResponse(
    "notifications-between",
    "a notification comes before every response",
    (message) => message,
    [
      {
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level: "debug", data: "busy" },
      },
    ],
  ),
];

function onAnything(
  id: string,
  title: string,
  answer: (message: Message) => readonly (Message | string)[],
): WireRule {
  return { id, title, answer };
}

function onResponse(
  id: string,
  title: string,
  change: (message: Message) => Message,
  before: readonly Message[] = [],
): WireRule {
  return {
    id,
    title,
    answer: (message) => "method" in message ? [message] : [...before, change(message)],
  };
}

function onError(id: string, title: string, change: (error: Message) => Message): WireRule {
  return onResponse(
    id,
    title,
    (message) => isObject(message.error) ? { ...message, error: change(message.error) } : message,
  );
}

function onResult(
  id: string,
  title: string,
  method: string,
  change: (value: Message, params: Message) => Message,
): WireRule {
  return {
    id,
    title,
    answer: (message, { request }) =>
      request?.method === method && isObject(message.result)
        ? [result(message, change(message.result, paramsOf(request)))]
        : [message],
  };
}

function onToolError(
  id: string,
  title: string,
  change: (message: Message, params: Message) => Message,
): WireRule {
  return {
    id,
    title,
    answer: (message, { request }) =>
      request?.method === "tools/call" && isObject(message.result) &&
        message.result.isError === true
        ? [change(message, paramsOf(request))]
        : [message],
  };
}

function onList(
  id: string,
  title: string,
  list: string,
  change: (items: readonly Message[]) => readonly Message[],
): WireRule {
  return onResult(id, title, `${list}/list`, (value) => {
    const items = value[list];
    return { ...value, [list]: Array.isArray(items) ? change(items.filter(isObject)) : items };
  });
}

function onContents(id: string, title: string, change: (item: Message) => Message): WireRule {
  return onResult(id, title, "resources/read", (value) => ({
    ...value,
    contents: Array.isArray(value.contents) ? value.contents.filter(isObject).map(change) : [],
  }));
}

function paramsOf({ params }: Message): Message {
  return isObject(params) ? params : {};
}

function result({ id }: Message, value: Message): Message {
  return { jsonrpc: "2.0", id, result: value };
}

function emptyResult(message: Message): Message {
  return result(message, {});
}

function hasCode({ error }: Message, code: number): boolean {
  return isObject(error) && error.code === code;
}

function promptMessage(text: string): Message {
  return { role: "user", content: { type: "text", text } };
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
