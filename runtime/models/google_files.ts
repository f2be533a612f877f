/**
 * Converts file parts for the Gemini API.
 *
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods
 * @module
 */

import type { FilePart } from "../shared/model.ts";
import type { WireObject } from "./response_fields.ts";
import { type FileRules, isTextType, toNamedText, toSendableFile } from "./sendable_file.ts";

/** Types of files that the API accepts. */
const ACCEPTED = /^(?:image\/(?:png|jpeg|webp|heic|heif)|audio\/.+|video\/.+|application\/pdf)$/;

/** Types of files that models since Gemini 3 accept in the response of a function. */
const ACCEPTED_IN_RESULTS = /^(?:image\/(?:png|jpeg|webp)|application\/pdf)$/;

/** Files that the API accepts. */
export const GOOGLE_FILES: FileRules = {
  acceptsData: (type) => ACCEPTED.test(type),
  acceptsUrl: (type) => ACCEPTED.test(type) || isTextType(type),
};

/** Returns the part for a file: inline data, a reference to a URL, or text. */
export function toFilePart(part: FilePart): WireObject {
  const file = toSendableFile(part, GOOGLE_FILES);
  switch (file.type) {
    case "data":
      return { inlineData: { mimeType: file.mediaType, data: file.data } };
    case "url":
      return { fileData: { fileUri: file.url, mimeType: file.mediaType } };
    case "text":
      return { text: toNamedText(file) };
    case "note":
      return { text: file.text };
    default:
      return file satisfies never;
  }
}

/** Returns true if the response of a function can contain the file. */
export function isResultFile({ inlineData, fileData }: WireObject): boolean {
  const { mimeType } = Object(inlineData ?? fileData);
  return ACCEPTED_IN_RESULTS.test(String(mimeType));
}
