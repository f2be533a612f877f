/**
 * Rules for relays in front of a correct MCP server, and functions that create rules.
 *
 * @module
 */

import { isObject } from "../../conformance/kit/json.ts";

/** A JSON-RPC message. */
export type Message = Readonly<Record<string, unknown>>;

/** Context of a message that a rule can change. */
export interface RuleContext {
  /** The request that a response belongs to. */
  readonly request?: Message;
}

/**
 * A fault or harmless change that a relay makes. A message is forwarded unchanged if the rule has
 * no callback for its direction.
 */
export interface FaultRule {
  /** Id of the mutant or name of the control. */
  readonly id: string;
  /** Description of the change. */
  readonly title: string;
  /** Returns the messages or lines that replace a message from the server. */
  readonly answer?: (message: Message, context: RuleContext) => readonly (Message | string)[];
  /**
   * Called with each line from the client. Returns messages to send to the client, `"exit"` to stop
   * the server, or `"drop"` to drop the line.
   */
  readonly intercept?: (
    line: string,
    message: Message | undefined,
  ) => readonly Message[] | "exit" | "drop" | undefined;
  /** Whether each request waits for the response to the previous request. */
  readonly isSerial?: boolean;
  /** Transports on which the rule has an effect. Defaults to both transports. */
  readonly transports?: readonly ("stdio" | "http")[];
  /**
   * Protocol version and cases for a control. Defaults to all cases, in the latest legacy protocol
   * version.
   */
  readonly cases?: { readonly revision: string; readonly only?: readonly string[] };
  /** Time by which everything is delayed in each direction, in milliseconds. */
  readonly delayMs?: number;
  /** Byte-level faults in the stdio relay. */
  readonly stdio?: StdioRule;
  /** HTTP-level faults in the HTTP relay. */
  readonly http?: HttpRule;
}

/** Faults in a server that uses stdio. */
export interface StdioRule {
  /** Whether each chunk of input is decoded separately. */
  readonly decodesPieces?: boolean;
  /** Maximum length of a line, after which the server ignores the rest of the line. */
  readonly maxLine?: number;
  /** Whether the server keeps running after the end of its input. */
  readonly staysAtEnd?: boolean;
}

/** Headers, with names in lower case. */
export type Headers = Record<string, string>;

/** The parts of a request that rules use. */
export interface RequestHead {
  /** HTTP method. */
  readonly method: string;
  /** The message in the body. `undefined` if the body is not a valid message. */
  readonly message?: Message | undefined;
  /** The body, decoded as text. */
  readonly text?: string;
}

/** Status and headers of a response, and the request that the response belongs to. */
export interface ReplyHead extends RequestHead {
  /** Status code. */
  readonly status: number;
  /** Headers. */
  readonly headers: Headers;
}

/** Faults in a server that uses HTTP. */
export interface HttpRule {
  /** Returns a response that replaces the server's response. */
  readonly reply?: (
    request: RequestHead,
  ) => { readonly status: number; readonly headers: Headers; readonly text: string } | undefined;
  /** Changes the request headers. */
  readonly request?: (headers: Headers, head: RequestHead) => Headers;
  /** Changes the status and headers of the response. */
  readonly head?: (head: ReplyHead) => Pick<ReplyHead, "status" | "headers">;
  /** Changes the types of events. */
  readonly eventType?: (type: string) => string;
  /** Changes the ids of events. */
  readonly eventId?: (id: string | undefined) => string | undefined;
  /** Whether messages from other streams are also sent on GET streams. */
  readonly broadcasts?: boolean;
  /** Whether streams stay open after their last message. */
  readonly staysOpen?: boolean;
}

export function onAnything(
  id: string,
  title: string,
  answer: (message: Message) => readonly (Message | string)[],
): FaultRule {
  return { id, title, answer };
}

export function onResponse(
  id: string,
  title: string,
  change: (message: Message) => Message,
  before: readonly Message[] = [],
): FaultRule {
  return {
    id,
    title,
    answer: (message) => "method" in message ? [message] : [...before, change(message)],
  };
}

export function onError(id: string, title: string, change: (error: Message) => Message): FaultRule {
  return onResponse(
    id,
    title,
    (message) => isObject(message.error) ? { ...message, error: change(message.error) } : message,
  );
}

export function onResult(
  id: string,
  title: string,
  method: string,
  change: (value: Message, params: Message) => Message,
): FaultRule {
  return {
    id,
    title,
    answer: (message, { request }) =>
      request?.method === method && isObject(message.result)
        ? [result(message, change(message.result, paramsOf(request)))]
        : [message],
  };
}

export function onToolError(
  id: string,
  title: string,
  change: (message: Message, params: Message) => Message,
): FaultRule {
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

export function onList(
  id: string,
  title: string,
  list: string,
  change: (items: readonly Message[]) => readonly Message[],
): FaultRule {
  return onResult(id, title, `${list}/list`, (value) => {
    const items = value[list];
    return { ...value, [list]: Array.isArray(items) ? change(items.filter(isObject)) : items };
  });
}

export function onContents(
  id: string,
  title: string,
  change: (item: Message) => Message,
): FaultRule {
  return onResult(id, title, "resources/read", (value) => ({
    ...value,
    contents: Array.isArray(value.contents) ? value.contents.filter(isObject).map(change) : [],
  }));
}

export function paramsOf({ params }: Message): Message {
  return isObject(params) ? params : {};
}

export function result({ id }: Message, value: Message): Message {
  return { jsonrpc: "2.0", id, result: value };
}

export function emptyResult(message: Message): Message {
  return result(message, {});
}

export function hasCode({ error }: Message, code: number): boolean {
  return isObject(error) && error.code === code;
}

export function promptMessage(text: string): Message {
  return { role: "user", content: { type: "text", text } };
}
