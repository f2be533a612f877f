/**
 * Converts text and file parts to content of OpenAI Responses API requests.
 *
 * @see https://platform.openai.com/docs/guides/pdf-files
 * @see https://platform.openai.com/docs/guides/images-vision
 * @module
 */

import type { FilePart, TextPart } from "../shared/model.ts";
import { callerFieldsOf } from "./provider_data.ts";
import type { WireObject } from "./response_fields.ts";
import {
  type FileRules,
  IMAGE_TYPES,
  isTextType,
  isWebUrl,
  toNamedText,
  toSendableFile,
} from "./sendable_file.ts";

/** Document types that the API accepts. Text files are sent as text, which all servers accept. */
const DOCUMENTS =
  /^application\/(?:pdf|rtf|msword|vnd\.(?:ms-(?:excel|powerpoint)|openxmlformats-officedocument|oasis\.opendocument|apple)\b.*)$/;

/** Files that the API accepts. The type of an image at a URL may be unknown. */
const FILE_RULES: FileRules = {
  acceptsData: (type) => IMAGE_TYPES.has(type) || DOCUMENTS.test(type),
  acceptsUrl: (type, url) =>
    isWebUrl(url) &&
    (IMAGE_TYPES.has(type) || type === "image/*" || DOCUMENTS.test(type) || isTextType(type)),
};

/**
 * Converts text and file parts. Plain text is returned as a string, because some servers do not
 * support content parts.
 */
export function toContent(
  parts: readonly (TextPart | FilePart)[],
  provider: string,
): string | WireObject[] {
  const contents = parts.flatMap((part): WireObject[] => {
    if (part.type === "text" && part.text === "") return [];
    const content = part.type === "text" ? toTextContent(part.text) : toFileContent(part);
    return [{ ...content, ...callerFieldsOf(part, provider) }];
  });
  const texts = contents.flatMap((content) => isPlain(content) ? [content.text] : []);
  return texts.length === contents.length ? texts.join("\n") : contents;
}

function isPlain(content: WireObject): boolean {
  return content.type === "input_text" && Object.keys(content).length === 2;
}

function toTextContent(text: string): WireObject {
  return { type: "input_text", text };
}

function toFileContent(part: FilePart): WireObject {
  const file = toSendableFile(part, FILE_RULES);
  switch (file.type) {
    case "note":
      return toTextContent(file.text);
    case "text":
      return toTextContent(toNamedText(file));
    case "url":
      return file.mediaType.startsWith("image/")
        ? { type: "input_image", detail: "auto", image_url: file.url }
        : { type: "input_file", file_url: file.url };
    case "data": {
      const url = `data:${file.mediaType};base64,${file.data}`;
      if (file.mediaType.startsWith("image/")) {
        return { type: "input_image", detail: "auto", image_url: url };
      }
      const { filename = file.mediaType === "application/pdf" ? "file.pdf" : "file" } = file;
      return { type: "input_file", filename, file_data: url };
    }
    default:
      return file satisfies never;
  }
}
