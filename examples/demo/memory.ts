/**
 * The facts that the built-in model extracts from the conversation.
 *
 * @module
 */
import type { ModelMessage, ToolCall, ToolResult } from "@parley/runtime";
import type { Document } from "./retrieval.ts";

/** Facts from a conversation. */
export interface Memory {
  readonly question: string;
  /** Folders that the tools can access. */
  readonly roots: readonly string[];
  /** Folders in the listings, except hidden folders. */
  readonly folders: readonly string[];
  /** Text files in the listings and search results. */
  readonly files: readonly string[];
  /** Documents that were read. */
  readonly documents: readonly Document[];
  /** Returns `true` if the conversation contains a call with this tool and input. */
  hasCalled(tool: string, input: unknown): boolean;
}

const TEXT_FILE =
  /\.(md|markdown|txt|rst|adoc|csv|json|jsonc|ya?ml|toml|ts|tsx|js|mjs|py|go|rs|swift|java|sh|html?)$|^[A-Z]+$/i;
const SKIPPED = /(^|\/)(\.[^/]+|node_modules|npm|coverage|target|dist)(\/|$)/;

/** Extracts the facts from a conversation. */
export function remember(messages: readonly ModelMessage[]): Memory {
  const calls = new Map<string, ToolCall>();
  const made = new Set<string>();
  const roots = new Set<string>();
  const folders = new Set<string>();
  const files = new Set<string>();
  const documents: Document[] = [];
  let question = "";
  for (const message of messages) {
    if (message.role === "user") {
      question = message.content.map((part) => part.type === "text" ? part.text : "").join("");
    } else if (message.role === "assistant") {
      for (const part of message.content) {
        if (part.type !== "tool-call") continue;
        calls.set(part.toolCallId, part);
        made.add(keyOf(part.toolName, part.input));
      }
    } else if (message.role === "tool") {
      for (const result of message.content) {
        const call = calls.get(result.toolCallId);
        if (call === undefined || result.isError) continue;
        learn(call, textOf(result), { roots, folders, files, documents });
      }
    }
  }
  const visible = (path: string): boolean =>
    !SKIPPED.test([...roots].reduce((rest, root) => rest.replace(`${root}/`, ""), path));
  return {
    question,
    roots: [...roots],
    folders: [...folders].filter(visible),
    files: [...files].filter(visible),
    documents,
    hasCalled: (tool, input) => made.has(keyOf(tool, input)),
  };
}

interface Knowledge {
  readonly roots: Set<string>;
  readonly folders: Set<string>;
  readonly files: Set<string>;
  readonly documents: Document[];
}

/**
 * Adds the facts in one tool result, which is a list of folders, a listing, a list of paths, or a
 * document.
 */
function learn(call: ToolCall, text: string, to: Knowledge): void {
  const input = isRecord(call.input) ? call.input : {};
  const path = typeof input.path === "string" ? input.path : undefined;
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  // The folder or the file is empty.
  if (lines.length === 0) return;
  if (path === undefined) {
    for (const line of lines) if (/^(\/|[A-Za-z]:\\)/.test(line)) to.roots.add(line);
  } else if (lines.every((line) => /^\[(FILE|DIR)\] /.test(line))) {
    for (const line of lines) {
      const entry = `${path}/${line.slice(line.indexOf("]") + 2)}`;
      if (line.startsWith("[DIR]")) to.folders.add(entry);
      else if (TEXT_FILE.test(entry)) to.files.add(entry);
    }
  } else if ("pattern" in input) {
    for (const line of lines) if (line.startsWith(path) && TEXT_FILE.test(line)) to.files.add(line);
  } else {
    to.documents.push({ path, text });
  }
}

/** Returns the text of a tool result, for every type of output. */
export function textOf({ output }: ToolResult): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "content":
      return output.value.map((part) => part.type === "text" ? part.text : "").join("\n");
    case "json":
    case "error-json":
      return isRecord(output.value) && typeof output.value.content === "string"
        ? output.value.content
        : JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "";
  }
}

function keyOf(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
