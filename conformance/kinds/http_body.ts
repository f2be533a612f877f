/**
 * HTTP responses that the kit sends.
 *
 * @module
 */

import type { EventToSend, HttpBody, HttpHead } from "../kit/http_message.ts";
import type { JsonValue } from "../kit/json.ts";
import type { Captures } from "../kit/match_value.ts";
import type { HttpReply } from "../platform/http.ts";
import { substitute } from "./substitute.ts";

/** Status and headers of a response. */
export interface CompleteHead {
  /** Status code. */
  readonly status: number;
  /** Headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Separates the head of a response from its body. The content type is derived from the body if the
 * headers do not contain it.
 */
export function splitReply(
  reply: HttpHead & HttpBody,
  captures: Captures,
): { readonly head: CompleteHead; readonly body: HttpBody } {
  const { status = 200, headers = {}, ...body } = reply;
  const type = contentType(body);
  const filled = Object.entries(headers).map(([name, value]) => [name, fillText(value, captures)]);
  return {
    head: {
      status,
      headers: {
        ...(type === undefined ? {} : { "content-type": type }),
        ...Object.fromEntries(filled),
      },
    },
    body,
  };
}

/** Returns the bytes of a body. Captured values replace the references to them. */
export function encodeBody(
  { json, text, hex, events }: HttpBody,
  captures: Captures,
): Uint8Array {
  if (hex !== undefined) return fromHex(hex);
  const whole = json !== undefined
    ? JSON.stringify(substitute(json, { captures }))
    : events !== undefined
    ? events.map((event) => toText(event, captures)).join("")
    : fillText(text ?? "", captures);
  return new TextEncoder().encode(whole);
}

/** Writes bytes in chunks of the given sizes. The last chunk contains all remaining bytes. */
export async function writeChunks(
  reply: HttpReply,
  bytes: Uint8Array,
  sizes: readonly number[] = [],
): Promise<void> {
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    if (at < bytes.length) reply.write(bytes.slice(at, at + size));
    at += size;
    // Without this pause, consecutive writes could be sent as one chunk.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

function fillText(text: string, captures: Captures): string {
  return text.replace(/<<(\w+)>>/g, (_, name) => JSON.stringify(captures.get(name)) ?? "null");
}

function contentType({ json, events }: HttpBody): string | undefined {
  if (events !== undefined) return "text/event-stream";
  return json === undefined ? undefined : "application/json";
}

function toText({ event, id, retry, data }: EventToSend, captures: Captures): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    ...(data === undefined ? [] : [`data: ${toData(substitute(data, { captures }))}`]),
  ];
  return `${lines.join("\n")}\n\n`;
}

function toData(data: JsonValue): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

/** Decodes hexadecimal digits. */
export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
