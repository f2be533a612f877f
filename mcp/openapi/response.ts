/**
 * Converts HTTP responses to the results of tool calls.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { encodeBase64 } from "@parley/internal/base64";
import { excerpt } from "@parley/internal/escape-text";
import { quote } from "@parley/internal/format-value";
import { isPlainJson, isRecord } from "@parley/internal/json";
import type { Secrets } from "../auth/redact_secrets.ts";
import type { CallToolResult } from "../protocol/tool.ts";
import { isReadable } from "./media_types.ts";

/** Limits of a response, and what its text must not contain. */
export interface ResponseSettings {
  readonly maxResponseBytes: number;
  readonly maxResultChars: number;
  readonly secrets: Secrets;
  /** Inputs with which the model can request less. */
  readonly pagingInputs: readonly string[];
}

/** Maximum length of the text of an error response in a result, in characters. */
const MAX_ERROR_CHARS = 4000;

/** Maximum nesting depth of structured content. */
const MAX_DEPTH = 100;

/**
 * Images that every provider with images accepts, and the bytes with which they start, as Latin-1.
 * Providers reject a request with an image of another type, also each time it is repeated.
 */
const IMAGES: Readonly<Record<string, RegExp>> = {
  "image/png": /^\x89PNG\r\n/,
  "image/jpeg": /^\xff\xd8\xff/,
  "image/gif": /^GIF8[79]a/,
  "image/webp": /^RIFF[^]{4}WEBP/,
};

/** Returns true if a body is an image of its content type. */
function isImage(type: string, bytes: Uint8Array): boolean {
  const start = Object.hasOwn(IMAGES, type) ? IMAGES[type] : undefined;
  return start?.test(String.fromCharCode(...bytes.subarray(0, 12))) ?? false;
}

/** Returns the result of a failed call. */
export function failure(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function success(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/**
 * Reads a response. A response that is a redirect, too large or an error becomes a result with
 * `isError: true`.
 *
 * @param signal Ends the reading of the body.
 */
export async function readResponse(
  response: Response,
  settings: ResponseSettings,
  signal: AbortSignal,
): Promise<CallToolResult> {
  const { status } = response;
  const isRedirect = response.type === "opaqueredirect" || response.redirected ||
    (status >= 300 && status < 400 && status !== 304);
  if (isRedirect) {
    discardBody(response);
    // A browser does not show the status of a redirect.
    const at = status >= 300 ? `HTTP ${status}: ` : "";
    return failure(`${at}The server sent a redirect, which is not followed.`);
  }
  const bytes = await readCapped(response, settings.maxResponseBytes, signal);
  if (bytes === undefined) {
    return failure(
      `The response has more than ${settings.maxResponseBytes} bytes. ${remedyOf(settings)}`,
    );
  }
  const [type = "", ...parameters] = (response.headers.get("content-type") ?? "").split(";")
    .map((part) => part.trim());
  if (response.ok && isImage(type.toLowerCase(), bytes)) {
    const image = {
      type: "image",
      mimeType: type.toLowerCase(),
      data: encodeBase64(bytes),
    } as const;
    return { content: [image] };
  }
  const text = readText(bytes, type, parameters);
  const prefix = `HTTP ${status}`;
  if (text === undefined) {
    const size = `${bytes.length} bytes of type ${quote(settings.secrets.hideKnown(type))}`;
    return response.ok ? success(size) : failure(`${prefix}: ${size}`);
  }
  const { maxResultChars } = settings;
  if (response.ok && text.length > maxResultChars) {
    return failure(
      `The response has ${text.length} characters, more than ${maxResultChars}. ${
        remedyOf(settings)
      }`,
    );
  }
  const shown = settings.secrets.hideKnown(text);
  if (response.ok) return toResult(shown, status);
  return failure(shown === "" ? prefix : `${prefix}: ${excerpt(shown, MAX_ERROR_CHARS)}`);
}

function toResult(text: string, status: number): CallToolResult {
  if (text === "") return success(`HTTP ${status}, no content`);
  const value = readJson(text);
  return isRecord(value) && isPlainJson(value, MAX_DEPTH)
    ? { ...success(text), structuredContent: value }
    : success(text);
}

function remedyOf({ pagingInputs }: ResponseSettings): string {
  return pagingInputs.length === 0
    ? "Request less data, for example a single item."
    : `Request less data with ${pagingInputs.map((name) => `"${name}"`).join(", ")}.`;
}

/** Returns the text of a body, or `undefined` if it is not text. */
function readText(
  bytes: Uint8Array,
  type: string,
  parameters: readonly string[],
): string | undefined {
  if (bytes.length === 0) return "";
  if (type === "") return decode(bytes, "utf-8", true);
  if (!isReadable(type)) return undefined;
  const charset = parameters.map((part) => /^charset="?([^"]*)"?$/i.exec(part)?.[1]);
  return decode(bytes, charset.find((each) => each !== undefined) ?? "utf-8", false);
}

function decode(bytes: Uint8Array, label: string, fatal: boolean): string | undefined {
  try {
    return new TextDecoder(label, { fatal }).decode(bytes);
  } catch {
    // The encoding is unknown, or a body without a type is not text.
    return fatal ? undefined : new TextDecoder().decode(bytes);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not JSON.
    return undefined;
  }
}

/**
 * Discards a body, so that the connection can be used again. The promise is not awaited, because
 * the body of a custom `fetch` may never settle it, and its error means that the stream has failed.
 */
function discardBody(response: Response): void {
  response.body?.cancel().catch(() => {});
}

/** Reads a body. Returns `undefined` if the body is too large. */
async function readCapped(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    // The body of a custom `fetch` may ignore the signal.
    const next = (): ReturnType<typeof reader.read> => abortable(reader.read(), signal);
    for (let chunk = await next(); !chunk.done; chunk = await next()) {
      length += chunk.value.length;
      if (length > maxBytes) return undefined;
      chunks.push(chunk.value);
    }
    return join(chunks, length);
  } finally {
    // Not awaited, for the reason given at `discardBody()`.
    reader.cancel().catch(() => {});
  }
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
