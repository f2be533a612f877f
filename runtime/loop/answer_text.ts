/**
 * The text of a run, for showing it while it is generated.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { type OptionsReader, optionsReader, withDefault } from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import type { LoopEvent } from "./events.ts";
import { textOf } from "./response.ts";

/** Options for {@linkcode answerText}. */
export interface AnswerTextOptions {
  /**
   * What happens if a model call is retried after a part of its text was yielded:
   *
   * - `"separate"`: a line break is yielded, followed by the text of the next attempt.
   * - `"throw"`: the iteration rejects, which aborts the run.
   *
   * @default {"separate"}
   */
  readonly onRetry?: "separate" | "throw";
}

const readAnswerTextOptions: OptionsReader<AnswerTextOptions, "onRetry"> = optionsReader<
  AnswerTextOptions
>("options")({
  onRetry: withDefault("separate", (name, value) => {
    if (value === "separate" || value === "throw") return;
    rejectArgument(name, `"separate" or "throw"`, value);
  }),
});

/**
 * Yields the text of the outermost agent of a run while it is generated. The texts of sub-agents,
 * the reasoning and the input of tool calls are not part of it. If the model does not stream, or a
 * response is read from a journal, the text of the whole response is yielded.
 *
 * A line break separates the texts of two model calls, for example a text before a tool call and
 * the answer after it. To show only the answer, use the `finalText` of the output.
 *
 * @param events Events of a run, such as the result of {@linkcode ToolLoopAgent.stream}. Exiting
 * the loop early closes them.
 * @param options What happens if a model call is retried.
 * @returns The pieces of the text, in order. An empty piece is never yielded.
 * @throws {TypeError} If an argument has the wrong type.
 * @throws {AgentError} With code `model_error`, during the iteration, if a model call is retried
 * and `onRetry` is `"throw"`. An error of `events` is passed on.
 *
 * @example Print the text of a supervisor, but not that of its sub-agent
 * ```ts
 * import { answerText, asTool, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const expert = asTool({
 *   name: "expert",
 *   description: "Answers difficult questions",
 *   model: scriptedModel([{ text: "42" }]),
 *   allowedTools: [],
 * });
 * const model = scriptedModel([
 *   { calls: [{ toolName: "expert", input: { task: "The answer?" } }] },
 *   { text: "It is 42" },
 * ]);
 * await using agent = new ToolLoopAgent({ name: "supervisor", model, tools: [expert] });
 * let shown = "";
 * for await (const text of answerText(agent.stream("Ask the expert"))) shown += text;
 * assertEquals(shown, "It is 42");
 * ```
 */
export function answerText(
  events: AsyncIterable<LoopEvent>,
  options: AnswerTextOptions = {},
): AsyncIterableIterator<string> {
  if (!isRecord(events) || typeof events[Symbol.asyncIterator] !== "function") {
    rejectArgument("events", "an async iterable of events", events);
  }
  return readText(events, readAnswerTextOptions(options));
}

async function* readText(
  events: AsyncIterable<LoopEvent>,
  { onRetry }: Required<AnswerTextOptions>,
): AsyncGenerator<string, void, undefined> {
  let outerRunId: string | undefined;
  // Text of the current model call, and of all calls.
  let hasCallText = false;
  let hasText = false;
  for await (const event of events) {
    outerRunId ??= event.runId;
    if (event.runId !== outerRunId) continue;
    if (event.type === "iteration_started") hasCallText = false;
    if (event.type === "model_retry") {
      if (hasCallText && onRetry === "throw") {
        throw AgentError.modelError(event.reason, { retryable: true });
      }
      hasCallText = false;
    }
    const text = textIn(event, hasCallText);
    if (text === "") continue;
    if (hasText && !hasCallText) yield "\n";
    yield text;
    hasText = hasCallText = true;
  }
}

/** Returns the text of an event. The text of a response follows only if it was not streamed. */
function textIn(event: LoopEvent, isStreamed: boolean): string {
  if (event.type === "text_delta") return event.text;
  return event.type === "model_finished" && !isStreamed ? textOf(event.message) : "";
}
