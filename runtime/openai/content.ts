/**
 * Reads the content of messages: text, and images as URLs.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { networkScopeOf } from "@parley/internal/network-scope";
import type { FilePart, TextPart, UserTurn } from "../shared/model.ts";
import { readFile } from "../ui/read_turn.ts";
import { invalid, unsupported } from "./api_error.ts";

/** Types of the parts of a message in one of OpenAI's interfaces. */
export interface PartTypes {
  /** Types of parts with text, each with the member that contains the text. */
  readonly texts: ReadonlyMap<string, string>;
  /** Type of a part with an image. */
  readonly image: string;
  /** Returns the URL of an image, which is not validated. */
  readonly imageUrl: (part: Readonly<Record<string, unknown>>) => unknown;
}

/** Maximum number of parts of a message. */
const MAX_PARTS = 1000;

/** Maximum length of the URL of an image that is not a `data:` URL, in characters. */
const MAX_URL_CHARS = 8192;

/** Maximum length of a `data:` URL up to its data, in characters. */
const MAX_HEAD_CHARS = 100;
const DATA_HEAD = /^data:image\/[\w.+-]{1,64};base64,/i;

/** Reads the parts of a message. */
function readParts(
  content: unknown,
  at: string,
): readonly (readonly [Readonly<Record<string, unknown>>, string])[] {
  if (!Array.isArray(content)) throw invalid(at, "a string or an array of parts");
  if (content.length > MAX_PARTS) throw invalid(at, `an array of at most ${MAX_PARTS} parts`);
  return content.map((part, index) => {
    if (!isRecord(part)) throw invalid(`${at}[${index}]`, "an object");
    return [part, `${at}[${index}]`];
  });
}

/**
 * Returns the text of a message of the conversation so far. Other parts, such as images, are not
 * part of the conversation that the agent receives.
 *
 * @param at Path of the content in the request.
 */
export function readText(content: unknown, at: string, { texts }: PartTypes): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  return readParts(content, at).map(([part, path]) => {
    const member = typeof part.type === "string" ? texts.get(part.type) : undefined;
    if (member === undefined) return "";
    const text = part[member];
    if (typeof text !== "string") throw invalid(`${path}.${member}`, "a string");
    return text;
  }).join("");
}

/**
 * Reads the message that the agent responds to: text and images. Images are not loaded.
 *
 * @param at Path of the content in the request.
 */
export function readUserTurn(content: unknown, at: string, types: PartTypes): UserTurn {
  if (typeof content === "string" && content !== "") return content;
  if (typeof content === "string") throw invalid(at, "a text that is not empty");
  const parts = readParts(content, at).map(([part, path]) => readPart(part, path, types));
  const [first, ...others] = parts;
  if (first === undefined) throw invalid(at, "an array of at least one part");
  return first.type === "text" && others.length === 0 ? first.text : parts;
}

function readPart(
  part: Readonly<Record<string, unknown>>,
  at: string,
  { image, imageUrl, texts }: PartTypes,
): TextPart | FilePart {
  const { type } = part;
  if (typeof type !== "string") throw invalid(`${at}.type`, "a string");
  if (type === image) return readImage(imageUrl(part), `${at}.image_url`);
  const member = texts.get(type);
  if (member === undefined) throw unsupported(at, "the parts of a message are text and images");
  const text = part[member];
  if (typeof text !== "string" || text === "") {
    throw invalid(`${at}.${member}`, "a text that is not empty");
  }
  return { type: "text", text };
}

function readImage(value: unknown, at: string): FilePart {
  if (typeof value === "string" && DATA_HEAD.test(value.slice(0, MAX_HEAD_CHARS))) {
    try {
      return readFile("image", { url: value });
    } catch {
      throw invalidImage(at);
    }
  }
  const url = readPublicUrl(value);
  if (url === undefined) throw invalidImage(at);
  return { type: "file", mediaType: "image/*", data: { type: "url", url } };
}

function invalidImage(at: string): Error {
  return invalid(at, 'a public "https:" URL, or a "data:" URL of an image with base64 data');
}

/** Reads a URL that does not refer the server of the model to a private network. */
function readPublicUrl(value: unknown): URL | undefined {
  if (typeof value !== "string" || value.length > MAX_URL_CHARS) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isPublic = url?.protocol === "https:" && url.username === "" && url.password === "" &&
    networkScopeOf(url.hostname) === "public";
  return isPublic ? url : undefined;
}
