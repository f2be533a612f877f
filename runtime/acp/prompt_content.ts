/**
 * Reads the content blocks of a prompt.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/content Content}
 * @module
 */

import { isRecord, type UnknownRecord } from "@parley/internal/json";
import type { FilePart, TextPart, UserTurn } from "../shared/model.ts";
import { invalidParams } from "./rpc_error.ts";

const MAX_BLOCKS = 1000;
const MEDIA_TYPE = /^image\/[\w.+-]{1,100}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Converts the blocks of a prompt to a message. Resources become text with their URI, because
 * models read text.
 */
export function readPrompt(
  { prompt }: UnknownRecord,
  { image }: { readonly image: boolean },
): UserTurn {
  if (!Array.isArray(prompt) || prompt.length === 0 || prompt.length > MAX_BLOCKS) {
    throw invalidParams(`"prompt" must be an array of 1 to ${MAX_BLOCKS} content blocks`);
  }
  return prompt.map((block, index) =>
    readBlock(`prompt[${index}]`, isRecord(block) ? block : {}, image)
  );
}

function readBlock(at: string, block: UnknownRecord, image: boolean): TextPart | FilePart {
  const { data, mimeType, name, resource, text, type, uri } = block;
  switch (type) {
    case "text":
      return { type, text: readText(`${at}.text`, text) };
    case "resource_link": {
      const label = readText(`${at}.name`, name);
      return { type: "text", text: `[${label}](${readText(`${at}.uri`, uri)})` };
    }
    case "resource":
      return readResource(`${at}.resource`, isRecord(resource) ? resource : {});
    case "image":
      if (image) return readImage(at, data, mimeType);
  }
  const types = `"text", "resource_link"${image ? ', "image"' : ""} or "resource"`;
  throw invalidParams(`"${at}.type" must be ${types}`);
}

function readResource(at: string, { blob, text, uri }: UnknownRecord): TextPart {
  const from = readText(`${at}.uri`, uri);
  if (blob !== undefined) throw invalidParams(`"${at}" must contain text, not binary data`);
  const content = readText(`${at}.text`, text);
  return { type: "text", text: `<resource uri=${JSON.stringify(from)}>\n${content}\n</resource>` };
}

function readImage(at: string, data: unknown, mimeType: unknown): FilePart {
  if (typeof data !== "string" || !BASE64.test(data)) {
    throw invalidParams(`"${at}.data" must be base64`);
  }
  if (typeof mimeType !== "string" || !MEDIA_TYPE.test(mimeType)) {
    throw invalidParams(`"${at}.mimeType" must be the media type of an image`);
  }
  return { type: "file", mediaType: mimeType, data: { type: "data", data } };
}

function readText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw invalidParams(`"${name}" must be a string`);
}
