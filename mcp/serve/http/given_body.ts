/**
 * Request bodies that another component, such as a body parser, has read before the handler.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { isPlainJson } from "@parley/internal/json";
import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import type { McpErrorObject } from "../../jsonrpc/message.ts";

/** Members of a request from `node:http` that describe its body. */
export interface ReceivedRequest {
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** HTTP method. */
  readonly method?: string | undefined;
  /** Whether data was read from the request. */
  readonly readableDidRead: boolean;
  /** Whether the request was read to its end. */
  readonly readableEnded: boolean;
  /** Encoding of the chunks if they are text. */
  readonly readableEncoding: string | null;
}

/** A body that was read, or the error for a request whose body is not available. */
export type GivenBody = { readonly bytes: Uint8Array } | UnusableBody;

/** Error for a request whose body cannot be processed. */
export interface UnusableBody {
  /** HTTP status of the response. */
  readonly status: 400 | 500;
  /** Error for the client. */
  readonly error: McpErrorObject;
}

/** HTTP methods whose request body has no defined meaning. */
const BODYLESS: readonly string[] = ["GET", "HEAD", "DELETE", "OPTIONS"];

/** Returns `true` if the body of a request with this method has no defined meaning. */
export function isBodyless(method: string | undefined): boolean {
  return BODYLESS.includes(method ?? "GET");
}

/** Maximum nesting depth of a parsed body. */
const MAX_DEPTH = 1000;

/** Encodings of chunks that can be converted back to the received bytes, if they are valid. */
const REVERSIBLE: readonly string[] = ["utf8", "latin1", "binary", "hex", "base64", "base64url"];

/** Character that replaces bytes which are not valid UTF-8. */
const REPLACEMENT = "\ufffd";

/** A byte that does not occur in UTF-8. */
const NOT_UTF8 = Uint8Array.of(0xff);

const LOST = internalError(
  "the request body was already read, for example by express.json(); " +
    "pass the parsed body as the third argument to the listener",
);

const CHANGED: UnusableBody = {
  status: 400,
  error: {
    code: RpcErrorCode.ParseError,
    message: "Parse error: the body was decoded before the server received it, " +
      "and it contains U+FFFD or does not have the received length, so it may have been changed; " +
      "the server must receive the bytes of such a body",
  },
};

/**
 * Returns the bytes of a body that another component has already read, or the error if the body is
 * not available. Returns `undefined` if the body can be read from the request.
 *
 * A component that decodes a body replaces bytes that are not UTF-8, and may use another encoding.
 * The received bytes are then unknown, so the body is rejected.
 *
 * @param incoming Request.
 * @param given Body: the parsed JSON value, the text or the bytes. Functions are ignored. If
 * absent, `incoming.body` is used if the body was read.
 */
export function readGivenBody(incoming: ReceivedRequest, given: unknown): GivenBody | undefined {
  if (isBodyless(incoming.method)) return undefined;
  const isRead = incoming.readableDidRead || incoming.readableEnded;
  // An absent body is `undefined` or `null`, but `null` can also be the parsed body.
  const isGiven = given !== undefined && typeof given !== "function" && (given !== null || isRead);
  if (isGiven) return readBytes(incoming, given);
  if (!isRead) return checkEncoding(incoming);
  const parsed = "body" in incoming ? incoming.body : undefined;
  return parsed === undefined ? LOST : readBytes(incoming, parsed);
}

/**
 * Returns the text as bytes. If the text may have been repaired while it was decoded, returns bytes
 * that are not valid UTF-8, so that the body is rejected like the body that was received.
 */
export function encodeUtf8(text: string): Uint8Array {
  return isExact(text) ? new TextEncoder().encode(text) : NOT_UTF8;
}

function isExact(text: string): boolean {
  return text.isWellFormed() && !text.includes(REPLACEMENT);
}

function checkEncoding({ readableEncoding }: ReceivedRequest): UnusableBody | undefined {
  if (readableEncoding === null || REVERSIBLE.includes(readableEncoding)) return undefined;
  return internalError(
    `the encoding of the request was set to ${formatValue(readableEncoding)}, which loses data`,
  );
}

/** Serializes a parsed body. A string or a byte array is a body that was read but not parsed. */
function readBytes(incoming: ReceivedRequest, body: unknown): GivenBody {
  if (body instanceof Uint8Array) return { bytes: body };
  if (typeof body !== "string" && !isPlainJson(body, MAX_DEPTH)) {
    return internalError(
      `the body that was already read must be bytes, text or parsed JSON, got ${formatValue(body)}`,
    );
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  if (!isExact(text)) return CHANGED;
  const bytes = new TextEncoder().encode(text);
  const isSame = typeof body !== "string" || hasReceivedLength(incoming, bytes);
  return isSame ? { bytes } : CHANGED;
}

/** Returns `false` if the length of a text shows that it is not the body that was received. */
function hasReceivedLength({ headers }: ReceivedRequest, { length }: Uint8Array): boolean {
  const received = headers["content-length"];
  // The length of a compressed body is not that of its text.
  if (received === undefined || headers["content-encoding"] !== undefined) return true;
  return Number(received) === length;
}

function internalError(message: string): UnusableBody {
  return { status: 500, error: { code: RpcErrorCode.InternalError, message } };
}
