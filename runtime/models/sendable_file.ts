/**
 * Prepares files for model APIs, each of which accepts some media types.
 *
 * The media type of a file often comes from a tool or a foreign server, and can be missing, wrong
 * or written in an unusual way. An API that rejects a file rejects the whole request, and all later
 * requests of the conversation.
 *
 * @module
 */

import { decodeBase64 } from "@parley/internal/base64";
import { escapeText, excerpt } from "@parley/internal/escape-text";
import { AgentError } from "../shared/error.ts";
import type { FilePart, ModelMessage } from "../shared/model.ts";
import { toBase64 } from "./file_data.ts";

/** A file in a form that an API accepts, or the text that the model receives instead. */
export type SendableFile =
  | {
    readonly type: "data";
    readonly mediaType: string;
    /** The content, encoded as base64. */
    readonly data: string;
    readonly filename?: string;
  }
  | {
    readonly type: "url";
    readonly mediaType: string;
    readonly url: string;
    readonly filename?: string;
  }
  /** A text file, decoded. */
  | { readonly type: "text"; readonly text: string; readonly filename?: string }
  /** A note about a file that the API does not accept. */
  | { readonly type: "note"; readonly text: string };

/** Files that an API accepts. */
export interface FileRules {
  /**
   * Returns `true` if the API accepts files with a media type, in lowercase and without parameters.
   */
  readonly acceptsData: (mediaType: string) => boolean;
  /** Returns `true` if the API loads a file with a media type from a URL. */
  readonly acceptsUrl: (mediaType: string, url: URL) => boolean;
}

/** Image types that all model APIs accept. */
export const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/gif",
  "image/jpeg",
  "image/png",
  "image/webp",
]);

/** Media types with another, more common name. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["application/x-pdf", "application/pdf"],
  ["audio/mp3", "audio/mpeg"],
  ["audio/wave", "audio/wav"],
  ["audio/x-wav", "audio/wav"],
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["image/x-png", "image/png"],
]);

/** Media types of text, in addition to `text/*`, `*+json` and `*+xml`. */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/csv",
  "application/javascript",
  "application/json",
  "application/jsonl",
  "application/sql",
  "application/toml",
  "application/typescript",
  "application/x-javascript",
  "application/x-ndjson",
  "application/x-sh",
  "application/x-yaml",
  "application/xml",
  "application/yaml",
]);

/** Media types that say nothing about the content. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
]);

/** First bytes of files, and their media types. A space matches any byte. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["RIFF    WEBP", "image/webp"],
  ["RIFF    WAVE", "audio/wav"],
  ["II*\0", "image/tiff"],
  ["MM\0*", "image/tiff"],
  ["    ftypheic", "image/heic"],
  ["    ftypavif", "image/avif"],
  ["%PDF-", "application/pdf"],
  ["ID3", "audio/mpeg"],
  ["OggS", "audio/ogg"],
  ["fLaC", "audio/flac"],
];

/** Maximum length of a name or a media type in a text, in UTF-16 code units. */
const MAX_LABEL_LENGTH = 200;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Converts a file to a form that an API accepts. The media type is written in its usual form, and
 * is taken from the first bytes of the file if they are those of a known type. Text is decoded.
 *
 * @param part The file.
 * @param rules Files that the API accepts.
 */
export function toSendableFile(part: FilePart, rules: FileRules): SendableFile {
  const named = part.filename === undefined ? {} : { filename: part.filename };
  const label = readMediaType(part.mediaType);
  const source = readSource(part, label.mediaType);
  if (source.url !== undefined) {
    const { href } = source.url;
    return rules.acceptsUrl(label.mediaType, source.url)
      ? { type: "url", mediaType: label.mediaType, url: href, ...named }
      : toNote(part, `the model cannot read the file at ${href}`);
  }
  const { data } = source;
  if (data === "") return toNote(part, "the file is empty");
  if (!BASE64.test(data)) return toNote(part, "the content is not valid base64");
  const mediaType = sniff(data) ?? (isMarkup(data) ? "text/plain" : source.mediaType);
  if (rules.acceptsData(mediaType)) return { type: "data", mediaType, data, ...named };
  const text = decodeText(data, mediaType, label.charset);
  if (text !== undefined) return { type: "text", text, ...named };
  return toNote(part, "the model cannot read this type of file");
}

/**
 * Asserts that an API accepts the files in the user messages after the last answer. In earlier
 * messages, a file that the API does not accept is replaced by a note, because the conversation may
 * have started with another model.
 *
 * @throws {AgentError} With code `model_error` if the API does not accept a file.
 */
export function assertNewFiles(messages: readonly ModelMessage[], rules: FileRules): void {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  for (const { role, content } of messages.slice(last + 1)) {
    if (role !== "user") continue;
    for (const part of content) {
      const file = part.type === "file" ? toSendableFile(part, rules) : undefined;
      if (file?.type === "note") throw AgentError.modelError(`cannot send a file: ${file.text}`);
    }
  }
}

/** Returns `true` for a URL that starts with `https:` or `http:`. */
export function isWebUrl({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}

/** Returns `true` for media types of text. */
export function isTextType(mediaType: string): boolean {
  return mediaType.startsWith("text/") || TEXT_TYPES.has(mediaType) ||
    mediaType.endsWith("+json") || mediaType.endsWith("+xml");
}

/** Returns the media type in its usual form, without parameters, and the value of `charset`. */
function readMediaType(value: string): { readonly mediaType: string; readonly charset: string } {
  const [type = "", ...parameters] = value.split(";");
  const mediaType = type.trim().toLowerCase();
  const charset = parameters.map((each) => each.trim().toLowerCase())
    .find((each) => each.startsWith("charset="))?.slice("charset=".length).replaceAll('"', "");
  return { mediaType: ALIASES.get(mediaType) ?? mediaType, charset: charset ?? "utf-8" };
}

/** Where the content of a file is. */
type Source =
  | { readonly url: URL }
  | { readonly url?: undefined; readonly data: string; readonly mediaType: string };

/**
 * Returns the URL of a file, or its content in base64. A `data:` URL contains the content itself,
 * and its media type replaces one that says nothing.
 */
function readSource({ data: source }: FilePart, mediaType: string): Source {
  const text = source.type === "url" ? source.url.href : source.data;
  if (typeof text !== "string") return { data: toBase64(text), mediaType };
  const inline = /^data:([^,]*),/i.exec(text);
  if (inline !== null) {
    const [prefix, label = ""] = inline;
    const content = text.slice(prefix.length);
    return {
      data: /;\s*base64$/i.test(label) ? normalizeBase64(content) : encodePercentEncoded(content),
      mediaType: UNKNOWN_TYPES.has(mediaType) ? readMediaType(label).mediaType : mediaType,
    };
  }
  return source.type === "url" ? { url: source.url } : { data: normalizeBase64(text), mediaType };
}

/** Removes whitespace, and converts the URL-safe alphabet and missing padding. */
function normalizeBase64(text: string): string {
  const plain = /^[A-Za-z0-9+/]*$/.test(text) ? text : text.replace(/\s+/g, "")
    .replaceAll("-", "+").replaceAll("_", "/").replace(/={1,2}$/, "");
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}

function encodePercentEncoded(text: string): string {
  try {
    return toBase64(new TextEncoder().encode(decodeURIComponent(text)));
  } catch {
    // The percent-encoding is invalid, or represents bytes that are not UTF-8.
    return INVALID;
  }
}

/** Stands for content that cannot be decoded. */
const INVALID = "!";

/** Returns the media type of a file with well-known first bytes. */
function sniff(data: string): string | undefined {
  const bytes = decodeBase64(data.slice(0, 16));
  return SIGNATURES.find(([signature]) =>
    signature.length <= bytes.length &&
    [...signature].every((char, index) => char === " " || char.charCodeAt(0) === bytes[index])
  )?.[1];
}

/**
 * Returns `true` for a file that starts like an HTML, XML or JSON text. Tools also return an error
 * page in place of an image.
 */
function isMarkup(data: string): boolean {
  return /^\s*(?:<[a-z!?]|[[{]\s*")/i.test(
    new TextDecoder().decode(decodeBase64(data.slice(0, 64))),
  );
}

/** Returns the text of a text file, or of a file of an unknown type that contains text. */
function decodeText(data: string, mediaType: string, charset: string): string | undefined {
  const bytes = decodeBase64(data);
  if (isTextType(mediaType)) return decoderFor(charset).decode(bytes);
  if (!UNKNOWN_TYPES.has(mediaType)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    // The content is not UTF-8 text.
    return undefined;
  }
}

/** Control characters that text files do not contain. */
// deno-lint-ignore no-control-regex
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    // The platform does not know the character encoding. Most text is UTF-8.
    return new TextDecoder();
  }
}

/** Returns the text of a text file, after its name. */
export function toNamedText({ text, filename }: Extract<SendableFile, { type: "text" }>): string {
  return filename === undefined ? text : `File "${toLabel(filename)}":\n${text}`;
}

/** Returns a name or a media type on one line, so that it cannot add text to a message. */
function toLabel(text: string): string {
  return escapeText(excerpt(text, MAX_LABEL_LENGTH));
}

function toNote({ filename, mediaType }: FilePart, reason: string): SendableFile {
  const name = filename === undefined ? "" : ` "${toLabel(filename)}"`;
  const type = mediaType.trim() === "" ? "of unknown type" : `of type ${toLabel(mediaType)}`;
  return { type: "note", text: `[File${name} ${type}: ${escapeText(reason)}]` };
}
