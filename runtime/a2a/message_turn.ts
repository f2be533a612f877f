/**
 * Converts messages of clients to the turns of users, and to the history of a task.
 *
 * @module
 */

import { type MessageJson, readMessage } from "@parley/internal/a2a-message";
import { InvalidMember } from "@parley/internal/proto-json";
import type { ServedRun } from "../serve/contracts.ts";
import type { JsonObject } from "../shared/json.ts";
import { sizeOfJson } from "../shared/json_size.ts";
import type { FilePart, TextPart, UserTurn } from "../shared/model.ts";
import { A2aError } from "./errors.ts";
import { isAccepted, mediaTypeOf } from "./media_types.ts";
import type { A2aMessage, A2aPart } from "./types.ts";

/**
 * Converts the parts of a message to a turn. Data becomes JSON text, because models read text.
 *
 * @throws {A2aError} With reason `CONTENT_TYPE_NOT_SUPPORTED` for a part whose media type is not
 * one of the input modes.
 * @throws {InvalidMember} For a URL that is not an HTTPS URL.
 */
export function toUserTurn(parts: readonly A2aPart[], inputModes: readonly string[]): UserTurn {
  const content = parts.map((part, index) => {
    const mediaType = mediaTypeOf(part);
    if (isAccepted(mediaType, inputModes)) return toContent(part, index);
    throw new A2aError("CONTENT_TYPE_NOT_SUPPORTED", undefined, { metadata: { mediaType } });
  });
  const [first] = content;
  return content.length === 1 && first?.type === "text" ? first.text : content;
}

function toContent(part: A2aPart, index: number): TextPart | FilePart {
  if ("text" in part) return { type: "text", text: part.text };
  if ("data" in part) return { type: "text", text: JSON.stringify(part.data) };
  const { filename } = part;
  const mediaType = mediaTypeOf(part);
  const file = { type: "file", mediaType, ...filename !== undefined && { filename } } as const;
  if ("raw" in part) return { ...file, data: { type: "data", data: part.raw } };
  const url = new URL(part.url);
  if (url.protocol === "https:") return { ...file, data: { type: "url", url } };
  throw new InvalidMember(`message.parts[${index}].url`, "an HTTPS URL");
}

/** Returns the texts of a message, joined by line feeds. */
export function textOfMessage({ parts }: A2aMessage): string {
  return parts.flatMap((part) => "text" in part ? [part.text] : []).join("\n");
}

/**
 * Maximum size of the message that is stored with a run, in bytes. The metadata of a run has at
 * most 65,536 bytes, and also contains the caller with its scopes.
 */
const MAX_STORED_BYTES = 32_768;

/** Member of a run's metadata that contains the message that has started the run. */
const MESSAGE = "a2aMessage";

/**
 * Returns the metadata of a run, which contains the message for the history of the task. Parts that
 * are too large, such as files, are left out. A message without any other part is not stored.
 */
export function toRunMetadata(message: MessageJson): JsonObject {
  let bytes = sizeOfJson({ ...message, parts: [] });
  const parts = message.parts.filter((part) => {
    const size = sizeOfJson(part) + 1;
    if (bytes + size > MAX_STORED_BYTES) return false;
    bytes += size;
    return true;
  });
  return parts.length === 0 ? {} : { [MESSAGE]: { ...message, parts } };
}

/** Returns the messages of a task, of which the first one is stored. */
export function historyOf(
  { id, metadata, sessionId }: Pick<ServedRun, "id" | "metadata" | "sessionId">,
): readonly A2aMessage[] {
  if (metadata[MESSAGE] === undefined) return [];
  try {
    // The metadata of a run that another protocol has started can contain anything.
    return [{ ...readMessage(metadata[MESSAGE]), taskId: id, contextId: sessionId }];
  } catch {
    return [];
  }
}
