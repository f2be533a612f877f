/**
 * The content of results, as text or as bytes.
 *
 * @module
 */

import { escapeText } from "@parley/internal/escape-text";
import type { ContentBlock } from "../protocol/content.ts";
import type { PromptMessage } from "../protocol/prompt.ts";
import type { ResourceContents } from "../protocol/resource.ts";
import type { CallToolResult } from "../protocol/tool.ts";
import { McpError } from "../shared/error.ts";
import { escapeLines } from "./escape_output.ts";

/** A part of a result: text, or bytes with their media type. */
export type Part =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "bytes"; readonly label: string; readonly base64: string };

/**
 * Returns the parts of a tool result. Structured content is a part only if the result has no other
 * content, because servers repeat structured content as text.
 */
export function toolParts({ content, structuredContent }: CallToolResult): readonly Part[] {
  if (content.length > 0 || structuredContent === undefined) return content.map(blockPart);
  return [{ type: "text", text: JSON.stringify(structuredContent, null, 2) }];
}

/** Returns the part of a content block. */
export function blockPart(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: "bytes", label: `${block.type} ${block.mimeType}`, base64: block.data };
    case "resource_link":
      return { type: "text", text: `[link ${block.uri}]` };
    case "resource":
      return resourcePart(block.resource);
    default:
      block satisfies never;
      // A server can send a type that later versions of the protocol define.
      return { type: "text", text: JSON.stringify(block) };
  }
}

/** Returns the part of the contents of a resource. */
export function resourcePart({ text, blob, mimeType, uri }: ResourceContents): Part {
  if (text !== undefined) return { type: "text", text };
  return { type: "bytes", label: mimeType ?? uri, base64: blob ?? "" };
}

/** Formats parts for the terminal. Bytes are shown as their type and size. */
export function formatParts(parts: readonly Part[]): string {
  return parts.map((part) => {
    if (part.type === "text") return escapeLines(part.text);
    return `[${escapeText(part.label)}, ${formatCount(sizeOf(part.base64))} bytes]`;
  }).join("\n");
}

/** Formats the messages of a prompt. Each message starts with the role of its author. */
export function formatMessages(messages: readonly PromptMessage[]): string {
  return messages.map(({ role, content }) => {
    return `${escapeText(role)}: ${formatParts([blockPart(content)])}`;
  }).join("\n\n");
}

/**
 * Returns what `--output` writes: the first part that has bytes, or else the text of all parts.
 *
 * @throws {McpError} With code `protocol_error` if the bytes are not valid base64.
 */
export function toBytes(parts: readonly Part[]): Uint8Array {
  const binary = parts.find((part) => part.type === "bytes");
  if (binary === undefined) {
    const texts = parts.map((part) => part.type === "text" ? part.text : "");
    return new TextEncoder().encode(texts.join("\n"));
  }
  try {
    return Uint8Array.from(atob(binary.base64), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw McpError.protocolError("the content is not valid base64", { cause });
  }
}

function sizeOf(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor(base64.length * 3 / 4) - padding);
}

/** Formats a count with separators, such as `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
