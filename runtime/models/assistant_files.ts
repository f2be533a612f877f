/**
 * Files that a model has created, for APIs whose assistant messages cannot contain files.
 *
 * @module
 */

import type { AssistantMessage, FilePart, ModelMessage, TextPart } from "../shared/model.ts";

const LABEL = "The assistant created this file:";

/**
 * Moves the files of assistant messages to the next user message, so that a conversation that
 * started with a model that creates files can continue with any model. If no user message follows
 * before the next assistant message, adds a user message.
 *
 * @param messages The conversation.
 * @param stays Returns `true` for a file that the API accepts in an assistant message.
 */
export function moveAssistantFiles(
  messages: readonly ModelMessage[],
  stays: (part: FilePart) => boolean = () => false,
): readonly ModelMessage[] {
  const moves = (part: AssistantMessage["content"][number]): part is FilePart =>
    part.type === "file" && !stays(part);
  if (!messages.some((each) => each.role === "assistant" && each.content.some(moves))) {
    return messages;
  }
  const moved: ModelMessage[] = [];
  let pending: (TextPart | FilePart)[] = [];
  const flush = () => {
    if (pending.length > 0) moved.push({ role: "user", content: pending });
    pending = [];
  };
  for (const message of messages) {
    if (message.role === "user") {
      moved.push({ ...message, content: [...pending, ...message.content] });
      pending = [];
    } else if (message.role === "assistant") {
      flush();
      moved.push({ ...message, content: message.content.filter((part) => !moves(part)) });
      pending = message.content.filter(moves).flatMap(toParts);
    } else {
      moved.push(message);
    }
  }
  flush();
  return moved;
}

/** Returns a label and the file, without the data of the provider that created the file. */
function toParts({ mediaType, data, filename }: FilePart): (TextPart | FilePart)[] {
  const named = filename === undefined ? {} : { filename };
  return [{ type: "text", text: LABEL }, { type: "file", mediaType, data, ...named }];
}
