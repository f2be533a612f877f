/**
 * The built-in model: a language model that needs no network or API key and answers questions about
 * a folder of documents.
 *
 * The model is deterministic, but not scripted: it selects its next calls based only on the
 * conversation and the tools. It asks for the accessible folders, lists and searches them, and
 * reads likely files until their passages cover the question. Then it answers with sentences from
 * the files.
 *
 * @module
 */
import type {
  AssistantMessage,
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelResponse,
  TokenUsage,
  ToolCall,
} from "@parley/runtime";
import { type Memory, remember } from "./memory.ts";
import { coverage, type Passage, questionStems, rankPassages, scorePath } from "./retrieval.ts";
import { chooseTools, type Toolbox } from "./toolbox.ts";

const READ_AT_ONCE = 4;
const MAX_DOCUMENTS = 16;
const LIST_AT_ONCE = 3;
const ENOUGH = 0.8;
const CITED = 3;
const CHARACTERS_PER_TOKEN = 4;

/** Creates the built-in model. */
export function createLibrarianModel(): LanguageModel {
  return {
    modelId: "librarian-1",
    provider: "embedded",
    generate: (request) => Promise.resolve(respond(request)),
  };
}

function respond(request: ModelRequest): ModelResponse {
  const memory = remember(request.messages);
  const calls = nextCalls(memory, chooseTools(request.tools));
  const turn = request.messages.filter(({ role }) => role === "assistant").length;
  const message: AssistantMessage = calls.length > 0
    ? {
      role: "assistant",
      content: calls.map((call, index): ToolCall => ({
        type: "tool-call",
        toolCallId: `call_${turn}_${index}`,
        toolName: call.tool,
        input: call.input,
      })),
    }
    : { role: "assistant", content: [{ type: "text", text: answer(memory) }] };
  return {
    message,
    finishReason: calls.length > 0 ? "tool-calls" : "stop",
    usage: estimateUsage(request.messages, message),
  };
}

/** A tool call that the model requests. */
interface Wish {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Returns the next tool calls, or an empty array if the model should answer. */
function nextCalls(memory: Memory, tools: Toolbox): readonly Wish[] {
  const open = (tool: string | undefined, inputs: readonly Wish["input"][]): readonly Wish[] =>
    tool === undefined
      ? []
      : inputs.filter((input) => !memory.hasCalled(tool, input)).map((input) => ({ tool, input }));
  if (memory.roots.length === 0) {
    const asked = open(tools.roots, [{}]);
    if (asked.length > 0) return asked;
  }
  const root = memory.roots[0] ?? ".";
  const first = [
    ...open(tools.list, [{ path: root }]),
    ...open(tools.search, [{ path: root, pattern: "**/*.md" }]),
  ];
  if (first.length > 0) return first;
  if (isCovered(memory) || memory.documents.length >= MAX_DOCUMENTS) return [];
  const reads = open(tools.read, promising(memory).map((path) => ({ path })));
  if (reads.length > 0) return reads.slice(0, READ_AT_ONCE);
  return open(tools.list, memory.folders.map((path) => ({ path }))).slice(0, LIST_AT_ONCE);
}

/** Returns the paths of known files, sorted by how well they match the question. */
function promising(memory: Memory): readonly string[] {
  const stems = questionStems(memory.question);
  const root = memory.roots[0] ?? "";
  const score = new Map(
    memory.files.map((path) => [path, scorePath(path.slice(root.length), stems)]),
  );
  return memory.files.toSorted((a, b) =>
    (score.get(b) ?? 0) - (score.get(a) ?? 0) || (a < b ? -1 : 1)
  );
}

/**
 * Returns `true` if the best passage covers enough of the question. The required share decreases
 * with each document that was read.
 */
function isCovered(memory: Memory): boolean {
  const read = memory.documents.length;
  const enough = ENOUGH * (1 - read / (2 * MAX_DOCUMENTS));
  return read > 0 && coverage(best(memory).slice(0, 1), questionStems(memory.question)) >= enough;
}

function best(memory: Memory): readonly Passage[] {
  return rankPassages(memory.documents, questionStems(memory.question)).slice(0, CITED);
}

function answer(memory: Memory): string {
  const passages = best(memory);
  const root = memory.roots[0] ?? "";
  const name = (path: string): string =>
    path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  const read = memory.documents.map(({ path }) => name(path));
  if (passages.length === 0) {
    return read.length === 0
      ? "I found no documents that I could read, so I cannot answer."
      : `I read ${documents(read.length)} (${read.join(", ")}) and found nothing about this.`;
  }
  return passages
    .filter(({ score }) => score >= (passages[0]?.score ?? 0) / 2)
    .map(({ path, heading, text }) =>
      `${text} [${name(path)}${heading === "" ? "" : `, "${heading}"`}]`
    )
    .join("\n");
}

function documents(count: number): string {
  return count === 1 ? "1 document" : `${count} documents`;
}

function estimateUsage(
  messages: readonly ModelMessage[],
  reply: AssistantMessage,
): TokenUsage {
  const inputTokens = Math.ceil(JSON.stringify(messages).length / CHARACTERS_PER_TOKEN);
  const outputTokens = Math.ceil(JSON.stringify(reply.content).length / CHARACTERS_PER_TOKEN);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}
