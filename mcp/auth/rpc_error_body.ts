/**
 * JSON-RPC errors in successful responses of MCP servers.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";

/**
 * Maximum length of a message that is searched, in characters. Longer messages are not changed.
 * With the default of `maxMessageChars`, a client rejects them.
 */
const MAX_CHARS = 10 * 1024 * 1024;

const LINE_END = /\r\n|\n|\r/;

/** The end of a line in an event stream. The split keeps it. */
const AFTER_LINE_END = /(?<=\n|\r(?!\n))/;
const DATA = /^data: ?/;

/** Removes secrets from a text. */
type Hide = (text: string) => string;

/**
 * Returns the response with a body in which secrets are removed from JSON-RPC errors. Their text
 * becomes part of errors and logs, and a server may echo the request in it. Results are not
 * changed, because a tool can return a secret on purpose. If an error is too deep to be searched,
 * reading the body fails.
 *
 * @param response Response with a JSON body or an event stream. Other responses are returned
 * unchanged.
 * @param hide Removes the secrets from a text.
 */
export function hideInRpcErrors(response: Response, hide: Hide): Response {
  const { status, statusText, body } = response;
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (body === null) return response;
  const transformer = type === "application/json"
    ? hideInJson(hide)
    : type === "text/event-stream"
    ? hideInEvents(hide)
    : undefined;
  if (transformer === undefined) return response;
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const hidden = body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(transformer));
  return new Response(hidden, { status, statusText, headers });
}

/** The bytes of a body without an error are not changed, because they may not be valid UTF-8. */
function hideInJson(hide: Hide): Transformer<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let chunks: Uint8Array[] = [];
  let text = "";
  let isLong = false;
  return {
    transform(chunk, controller) {
      if (isLong) return controller.enqueue(chunk);
      chunks.push(chunk);
      text += decoder.decode(chunk, { stream: true });
      isLong = text.length > MAX_CHARS;
      if (!isLong) return;
      for (const each of chunks) controller.enqueue(each);
      chunks = [];
      text = "";
    },
    flush(controller) {
      const hidden = hideInMessages(text + decoder.decode(), hide);
      if (hidden !== undefined) return controller.enqueue(new TextEncoder().encode(hidden));
      for (const each of chunks) controller.enqueue(each);
    },
  };
}

/** Passes on each event as soon as it is complete. */
function hideInEvents(hide: Hide): Transformer<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const events = new EventSplitter();
  const pass = (texts: readonly string[], controller: TransformStreamDefaultController): void => {
    const text = texts.map((event) => hideInEvent(event, hide)).join("");
    if (text !== "") controller.enqueue(encoder.encode(text));
  };
  return {
    transform(chunk, controller) {
      pass(events.push(decoder.decode(chunk, { stream: true })), controller);
    },
    flush(controller) {
      pass([...events.push(decoder.decode()), events.end()], controller);
    },
  };
}

/** Splits an event stream into events. Each character is inspected once. */
class EventSplitter {
  /** Parts of the current event, without the parts of its last line. */
  #lines: string[] = [];
  /** Parts of a line that has not ended. */
  #line: string[] = [];
  /** A carriage return at the end of a chunk, which can be the first half of a line end. */
  #held = "";
  #chars = 0;

  /** Adds text. Returns the events that are complete, and parts of an event that is too long. */
  push(added: string): readonly string[] {
    const text = this.#held + added;
    this.#held = text.endsWith("\r") ? "\r" : "";
    const complete: string[] = [];
    const whole = text.slice(0, text.length - this.#held.length);
    for (const part of whole === "" ? [] : whole.split(AFTER_LINE_END)) {
      const isBlank = this.#line.length === 0 && /^[\r\n]+$/.test(part);
      this.#line.push(part);
      this.#chars += part.length;
      if (/[\r\n]$/.test(part)) this.#endLine();
      if (isBlank || this.#chars > MAX_CHARS) complete.push(this.#take());
    }
    return complete;
  }

  /** Returns the rest of the text. */
  end(): string {
    return this.#take() + this.#held;
  }

  #endLine(): void {
    this.#lines.push(this.#line.join(""));
    this.#line = [];
  }

  #take(): string {
    const event = [...this.#lines, ...this.#line].join("");
    [this.#lines, this.#line, this.#chars] = [[], [], 0];
    return event;
  }
}

function hideInEvent(event: string, hide: Hide): string {
  const lines = event.split(LINE_END);
  const data = lines.filter((line) => DATA.test(line)).map((line) => line.replace(DATA, ""));
  const hidden = hideInMessages(data.join("\n"), hide);
  if (hidden === undefined) return event;
  const others = lines.filter((line) => line !== "" && !DATA.test(line));
  return `${[...others, `data: ${hidden}`].join("\n")}\n\n`;
}

/** Returns the messages without secrets in their errors, or `undefined` if there are none. */
function hideInMessages(text: string, hide: Hide): string | undefined {
  // An escape sequence can be part of the name of the member.
  if (text.length > MAX_CHARS || !/"error"|\\u/.test(text)) return undefined;
  const value = readJson(text);
  const messages = Array.isArray(value) ? value : [value];
  if (!messages.some((message) => exposes(message, hide))) return undefined;
  const hidden = messages.map((message) =>
    exposes(message, hide) ? cleaned(message, hide) : message
  );
  return JSON.stringify(Array.isArray(value) ? hidden : hidden[0]);
}

/** Returns `true` if a message is an error with a secret. */
function exposes(message: unknown, hide: Hide): boolean {
  if (!isRecord(message) || message.error === undefined) return false;
  const text = JSON.stringify(message.error);
  return hide(text) !== text;
}

function cleaned(message: unknown, hide: Hide): unknown {
  if (!isRecord(message)) return message;
  const { error, ...rest } = message;
  const hidden = hideIn(error, hide);
  return { ...rest, error: exposes({ error: hidden }, hide) ? withoutData(hidden) : hidden };
}

/** Drops the texts of an error whose secret is spread over several members. */
function withoutData(error: unknown): unknown {
  const code = isRecord(error) ? error.code : undefined;
  return { code, message: "[text with a secret]" };
}

function hideIn(value: unknown, hide: Hide): unknown {
  if (typeof value === "string") return hide(value);
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hide));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [hide(name), hideIn(member, hide)]),
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The client reports the text as a malformed message.
    return undefined;
  }
}
