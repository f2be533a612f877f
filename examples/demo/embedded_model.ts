/**
 * The embedded model: a deterministic language model that needs neither an API key nor network
 * access. Like any model, the embedded model sees only the conversation and the tools. The model
 * searches for files, reads them, and answers with a sentence from a file.
 *
 * @module
 */

import { setTimeout } from "node:timers/promises";
import type { LanguageModel, ModelRequest, ModelResponse, ToolResult } from "@parley/runtime";

const READ_AT_ONCE = 4;
const MAX_FILES = 16;
const MARKUP = /^\s*(?:[-*>]|\d+\.)\s|\[(?=[^\]]*\])|\](?:\([^)]*\)|\[[^\]]*\])?|[`*]/g;
const SKIPPED = /\/(\.|node_modules|CHANGELOG)/;
const STOP_WORDS =
  /^(a|an|and|are|can|do|does|for|how|in|is|it|its|of|on|or|the|to|what|when|which|who|why|with)$/;

/** Creates the embedded model. Each response is delayed by `delayMs`. */
export function createEmbeddedModel(delayMs = 0): LanguageModel {
  const generate = (request: ModelRequest) => setTimeout(delayMs, respond(request));
  return { modelId: "embedded-1", provider: "embedded", generate };
}

/** A tool call, with its result text if the call has finished. */
interface Call {
  readonly toolName: string;
  readonly text?: string;
}

/** A document, or a sentence of a document. */
interface Passage {
  readonly path: string;
  readonly text: string;
  readonly heading?: string;
}

function respond({ messages, tools }: ModelRequest): ModelResponse {
  const calls = new Map<string, Call>();
  let question = "";
  for (const { role, content } of messages) {
    for (const part of role === "system" ? [] : content) {
      if (role === "user" && part.type === "text") question = part.text;
      if (part.type === "tool-call") calls.set(part.toolCallId, part);
      const call = part.type === "tool-result" && calls.get(part.toolCallId);
      if (call) calls.set(part.toolCallId, { ...call, text: textOf(part) });
    }
  }
  const next = nextStep(question, [...calls.values()], tools.map(({ name }) => name));
  const content = typeof next === "string" ? [{ type: "text" as const, text: next }] : next
    .map((call, i) => ({ type: "tool-call" as const, toolCallId: `${calls.size + i}`, ...call }));
  const finishReason = typeof next === "string" ? "stop" : "tool-calls";
  const tokensOf = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
  const [inputTokens, outputTokens] = [tokensOf(messages), tokensOf(next)];
  const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  return { message: { role: "assistant", content }, finishReason, usage };
}

/** Returns the next tool calls, or the answer. */
function nextStep(question: string, calls: readonly Call[], tools: readonly string[]) {
  const made = (toolName: string) => calls.filter((call) => call.toolName === toolName);
  const call = (toolName: string, ...inputs: object[]) =>
    inputs.map((input) => ({ toolName, input }));
  const colleague = tools.find((name) => name.startsWith("ask_"));
  const [reply] = colleague ? made(colleague) : [];
  if (colleague && !reply) return call(colleague, { task: question });
  const mustSave = tools.includes("save_answer") && made("save_answer").length === 0;
  if (reply) return mustSave ? call("save_answer", { text: reply.text }) : reply.text ?? "";
  const [folders] = made("list_allowed_directories");
  if (!folders) return call("list_allowed_directories", {});
  const root = folders.text?.split("\n").find((line) => /^(\/|\w:\\)/.test(line)) ?? ".";
  const [search] = made("search_files");
  if (!search) return call("search_files", { path: root, pattern: "**/*.md" });
  const stems = stemsOf(question);
  const score = (path: string) =>
    stemsOf(path.slice(root.length)).filter((stem) => stems.includes(stem)).length +
    (path.endsWith("/README.md") ? 1 : 0) - path.split("/").length / 4;
  const paths = (search.text ?? "").split("\n")
    .filter((path) => path.startsWith(root) && !SKIPPED.test(path.slice(root.length)))
    .sort((one, other) => score(other) - score(one) || (one < other ? -1 : 1))
    .slice(0, MAX_FILES);
  const read = made("read_text_file").map(({ text = "" }, i) => ({ path: paths[i] ?? "", text }));
  const [best] = rankSentences(question, read);
  const isCovered = best && stems.every((stem) => stemsOf(best.text).includes(stem));
  const open = isCovered ? [] : paths.slice(read.length, read.length + READ_AT_ONCE);
  if (open.length > 0) return call("read_text_file", ...open.map((path) => ({ path })));
  if (!best) return `I read ${read.length} documents and found nothing about this.`;
  return `${best.text} [${best.path.slice(root.length + 1)}, "${best.heading}"]`;
}

/** Returns the sentences that contain words from the question, best match first. */
export function rankSentences(question: string, documents: readonly Passage[]): Passage[] {
  const asked = stemsOf(question);
  return documents.flatMap(sentencesOf).map((sentence) => {
    const found = stemsOf(sentence.text).filter((stem) => asked.includes(stem)).length;
    return { ...sentence, score: found ** 2 / Math.log(8 + sentence.text.length / 6) };
  }).filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
}

/**
 * Splits Markdown into sentences. Skips code, tables, HTML and fragments that are not sentences.
 */
function sentencesOf({ path, text }: Passage): Passage[] {
  let heading = "";
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, "").replace(/^#.*$/gm, "\n$&\n");
  return prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/).flatMap((block) => {
    if (/^\s*[|<]/m.test(block)) return [];
    const plain = block.replace(MARKUP, "").replace(/\s+/g, " ").trim();
    if (plain.startsWith("#")) heading = plain.replace(/^#+ /, "");
    return plain.split(/(?<=[.!?]) (?=[A-Z])/)
      .filter((sentence) => /^[A-Z].{20,400}[.!?]$/.test(sentence))
      .map((sentence) => ({ path, heading, text: sentence }));
  });
}

/** Returns the significant words in the text, without their endings. */
function stemsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const ending = /(?:ations?|atures?|ies|ing|ed|es|s|y|e)$/;
  const significant = words.filter((word) => !STOP_WORDS.test(word));
  return [...new Set(significant.map((word) => word.replace(ending, "")))];
}

/**
 * Returns the text of a tool result. The file server returns its text in the `content` member of a
 * JSON object.
 */
function textOf({ output }: ToolResult): string {
  if (output.type === "execution-denied") return "";
  if (output.type === "content") {
    return output.value.map((part) => part.type === "text" ? part.text : "").join("\n");
  }
  const { value } = output;
  if (typeof value === "string") return value;
  return value instanceof Object && "content" in value ? String(value.content) : "";
}
