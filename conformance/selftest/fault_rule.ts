/**
 * Rules for the relays in front of a correct MCP server, and ways to write them.
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
export interface FaultRule {
  /** The mutant's id, or the control's name. */
  readonly id: string;
  /** What is changed. */
  readonly title: string;
  /** Changes a message from the server: what to send in its place, messages or raw lines. */
  readonly answer?: (message: Message, context: RuleContext) => readonly (Message | string)[];
  /** Sends messages of its own when a line comes from the client, ends the server, or keeps the line back. */
  readonly intercept?: (
    line: string,
    message: Message | undefined,
  ) => readonly Message[] | "exit" | "drop" | undefined;
  /** Whether the next request waits until the one before is answered. */
  readonly isSerial?: boolean;
  /** The transports on which the rule makes a difference; default: both. */
  readonly transports?: readonly ("stdio" | "http")[];
  /** The revision that a control concerns, and which cases; default: all, in the last one with a handshake. */
  readonly cases?: { readonly revision: string; readonly only?: readonly string[] };
  /** What the relay on stdio does wrong with bytes. */
  readonly stdio?: StdioRule;
  /** What the relay over HTTP does wrong around messages. */
  readonly http?: HttpRule;
}

/** Faults of a server that reads lines. */
export interface StdioRule {
  /** Whether every piece of input is decoded by itself. */
  readonly decodesPieces?: boolean;
  /** How many characters of a line are read. */
  readonly maxLine?: number;
  /** Whether it lives on when its input ends. */
  readonly staysAtEnd?: boolean;
}

/** Headers, names in lower case. */
export type Headers = Record<string, string>;

/** A request and the message in it, as far as rules look at them. */
export interface RequestHead {
  /** The HTTP method. */
  readonly method: string;
  /** The message, if it is one. */
  readonly message?: Message | undefined;
  /** The body as text. */
  readonly text?: string;
}

/** The head of an answer, with the request that it answers. */
export interface ReplyHead extends RequestHead {
  /** The status code. */
  readonly status: number;
  /** The headers. */
  readonly headers: Headers;
}

/** Faults of a server over HTTP. */
export interface HttpRule {
  /** Answers in the server's place. */
  readonly reply?: (
    request: RequestHead,
  ) => { readonly status: number; readonly headers: Headers; readonly text: string } | undefined;
  /** Changes the headers that reach the server. */
  readonly request?: (headers: Headers, head: RequestHead) => Headers;
  /** Changes status and headers of the answer. */
  readonly head?: (head: ReplyHead) => Pick<ReplyHead, "status" | "headers">;
  /** Changes the ids of events. */
  readonly eventId?: (id: string | undefined) => string | undefined;
  /** Whether what is sent on other streams goes on GET streams too. */
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
