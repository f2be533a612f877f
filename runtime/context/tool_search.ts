/**
 * Tool search, for agents with more tools than a single model request should contain.
 *
 * @module
 */

import type { PrepareIteration } from "../loop/iteration_plan.ts";
import { executionOf } from "../loop/tool_call_execution.ts";
import {
  assertCount,
  assertFunction,
  assertStrings,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { asRecord } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { ModelMessage, ToolDefinition } from "../shared/model.ts";
import type { Tool } from "../tools/tool.ts";

/** Options for {@linkcode toolSearch}. */
export interface ToolSearchOptions {
  /**
   * Names of the tools that the model always receives. If omitted, the model receives only
   * `find_tools` at first.
   */
  readonly always?: readonly string[];
  /**
   * Maximum number of results per search. A positive integer.
   *
   * @default {5}
   */
  readonly limit?: number;
  /**
   * Maximum number of matching tools that the model receives, in addition to the tools in `always`.
   * If the searches in a conversation have found more tools than this maximum, the most recently
   * found tools are kept. A positive integer.
   *
   * @default {64}
   */
  readonly maxTools?: number;
  /**
   * Ranks the tools for a query. Returns the names of the matching tools, best match first. If
   * omitted, tools are ranked by the number of query words that occur in their names and
   * descriptions.
   */
  readonly rank?: (
    query: string,
    tools: readonly ToolDefinition[],
  ) => readonly string[] | Promise<readonly string[]>;
}

const readToolSearchOptions = optionsReader<ToolSearchOptions>("options")({
  always: withDefault([], assertStrings),
  limit: withDefault(5, assertCount),
  maxTools: withDefault(64, assertCount),
  rank: withDefault(rankByWords, assertFunction),
});

/** Result of {@linkcode toolSearch}. */
export interface ToolSearch {
  /** The `find_tools` tool, which must be registered in the agent's registry. */
  readonly tool: Tool<{ query: string }>;
  /**
   * Shows the model the tools in `always`, `find_tools`, and the tools found earlier in the
   * conversation.
   */
  readonly prepareIteration: PrepareIteration;
}

const NAME = "find_tools";

/**
 * Words in a query that are ignored because they do not describe a tool. Words with one or two
 * letters are also ignored.
 */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  "and any are can for from get into not one that the then this tool use which with you".split(" "),
);

/** Maximum length of a query for the default ranking, in UTF-16 code units. */
const MAX_QUERY_LENGTH = 1_000;

/**
 * Creates a `find_tools` tool and a `prepareIteration` function that shows the model only the tools
 * that its searches have found. Even with a large registry, each request contains few tool
 * definitions, and the model has fewer tools to choose from.
 *
 * The search stores no state: the found tools are read from the results of `find_tools` in the
 * transcript. A resumed run, or a run that continues a conversation, therefore shows the tools
 * found earlier. When a search finds new tools, the set of tools in the requests changes, which
 * usually invalidates the provider's prompt cache.
 *
 * @param options Tools that are always shown, limits, and the ranking function.
 * @throws {TypeError} If `always` is not an array of strings, or `rank` is not a function.
 * @throws {RangeError} If `limit` or `maxTools` is not a positive integer.
 *
 * @example Find one of two tools
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { toolSearch } from "@parley/runtime/context";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const { tool, prepareIteration } = toolSearch();
 * const registry = new ToolRegistry([tool]);
 * for (const name of ["send_mail", "read_clock"]) {
 *   registry.register({ name, inputSchema: { type: "object" }, execute: () => "ok" });
 * }
 * const model = scriptedModel([
 *   { calls: [{ toolName: "find_tools", input: { query: "send an e-mail" } }] },
 *   { text: "Done" },
 * ]);
 * await runToolLoop({ model, registry, prepareIteration }, "Write to Ann");
 * assertEquals(
 *   model.requests.map(({ tools }) => tools.map(({ name }) => name)),
 *   [["find_tools"], ["find_tools", "send_mail"]],
 * );
 * ```
 */
export function toolSearch(options: ToolSearchOptions = {}): ToolSearch {
  const { always, limit, maxTools, rank } = readToolSearchOptions(options);
  const tool: Tool<{ query: string }> = {
    name: NAME,
    description: "Finds tools. Only some of the available tools are shown to you. Search for the " +
      "capability that you need; the tools that match can be called in the next step.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: 'Capability of the tool, for example "send e-mail"' },
      },
      required: ["query"],
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    async execute({ query }, context) {
      const execution = executionOf(context);
      if (!execution) {
        rejectArgument("context", "the context that the tool loop passed to the tool", context);
      }
      const definitions = execution.run.config.registry.definitions();
      const candidates = definitions.filter(({ name }) => name !== NAME);
      const known = new Set(candidates.map(({ name }) => name));
      const ranked = await rank(query, candidates);
      const tools = [...new Set(ranked)].filter((name) => known.has(name)).slice(0, limit);
      return tools.length > 0 ? { tools } : "No tool matches. Try other words.";
    },
  };
  const prepareIteration: PrepareIteration = ({ messages, tools }) => {
    const isShown = new Set([...always, NAME]);
    const isRegistered = new Set(tools.map(({ name }) => name));
    const found = foundTools(messages).filter((name) =>
      isRegistered.has(name) && !isShown.has(name)
    );
    return { tools: [...isShown, ...found.slice(-maxTools)] };
  };
  return { tool, prepareIteration };
}

/**
 * Returns the tool names from the `find_tools` results, without duplicates, most recently found
 * last.
 */
function foundTools(messages: readonly ModelMessage[]): readonly string[] {
  const found = new Set<string>();
  for (const message of messages) {
    if (message.role !== "tool") continue;
    for (const { toolName, isError, output } of message.content) {
      if (toolName !== NAME || isError || output.type !== "json") continue;
      const { tools } = asRecord(output.value);
      // The best match comes first in a result, and counts as the most recently found tool.
      for (const name of Array.isArray(tools) ? tools.toReversed() : []) {
        if (typeof name !== "string") continue;
        found.delete(name);
        found.add(name);
      }
    }
  }
  return [...found];
}

/**
 * Ranks tools by the words in the query. Matches in the name count more than matches in the
 * description.
 */
function rankByWords(query: string, tools: readonly ToolDefinition[]): readonly string[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_LENGTH))
    .filter((word) => word.length > 2 && !COMMON_WORDS.has(word));
  const scored = tools.map(({ name, description = "" }) => {
    const nameWords = new Set(wordsOf(name));
    const [lowerName, text] = [name.toLowerCase(), description.toLowerCase()];
    let score = 0;
    for (const word of new Set(words)) {
      if (nameWords.has(word)) score += 4;
      else if (lowerName.includes(word)) score += 2;
      if (text.includes(word)) score += 1;
    }
    return { name, score };
  });
  return scored.filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name);
}

/**
 * Splits a string into lowercase words. `sendMail` and `send_mail` are each split into two words.
 */
function wordsOf(text: string): readonly string[] {
  return text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
