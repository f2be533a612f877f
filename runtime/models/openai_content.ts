/**
 * Reads the content of a message of the OpenAI Chat Completions API. Servers send texts and images
 * in the forms of other APIs, too.
 *
 * @module
 */

import type { FilePart } from "../shared/model.ts";
import { expectList, readRecord, readText, type WireObject } from "./response_fields.ts";

/** Content of a message or a chunk. */
export interface Content {
  readonly text: string;
  readonly images: readonly FilePart[];
  /** Whether the content has a part of an unknown type, which is not read. */
  readonly hasUnread: boolean;
}

/** Types of parts with reasoning, and of parts that need no reading, such as citations. */
const OTHER_TYPES: ReadonlySet<unknown> = new Set(["thinking", "reasoning", "reference"]);

/**
 * Reads content: a string, or a list of texts and parts.
 *
 * @throws {AgentError} With code `model_error` if the content is neither.
 */
export function readContent(content: unknown): Content {
  if (typeof content === "string") return { text: content, images: [], hasUnread: false };
  const parts = expectList(content, '"content"').map(readPart);
  return {
    text: parts.map(({ text }) => text).join(""),
    images: parts.flatMap(({ images }) => images),
    hasUnread: parts.some(({ hasUnread }) => hasUnread),
  };
}

/** Reads the field `images`, which OpenRouter and other gateways add to a message. */
export function readImages(images: unknown): Content {
  return readContent(Array.isArray(images) ? images : []);
}

function readPart(part: unknown): Content {
  if (typeof part === "string") return { text: part, images: [], hasUnread: false };
  const fields = readRecord(part);
  const text = fields.text ?? fields.refusal;
  const isOther = part === null || OTHER_TYPES.has(fields.type);
  if (isOther) return { text: "", images: [], hasUnread: false };
  if (typeof text === "string") return { text, images: [], hasUnread: false };
  const image = readImage(fields);
  return { text: "", images: image === undefined ? [] : [image], hasUnread: image === undefined };
}

/** Reads an image at a URL, which can contain the image. */
function readImage({ image_url }: WireObject): FilePart | undefined {
  const url = readText(image_url) ?? readText(readRecord(image_url).url);
  if (url === undefined) return undefined;
  const [, mediaType, data] = /^data:([^;,]*);base64,(.+)$/s.exec(url) ?? [];
  if (mediaType !== undefined && data !== undefined) {
    return { type: "file", mediaType: mediaType || "image/png", data: { type: "data", data } };
  }
  const isWeb = /^https?:/i.test(url) && URL.canParse(url);
  return isWeb
    ? { type: "file", mediaType: "image/*", data: { type: "url", url: new URL(url) } }
    : undefined;
}
