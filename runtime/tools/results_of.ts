/**
 * Typed access to the results of a tool.
 *
 * @module
 */

import type { ToolResult } from "../shared/model.ts";
import type { PartialLoopOutput } from "../shared/output.ts";
import type { Tool } from "./tool.ts";

/**
 * A successful result of a tool.
 *
 * @typeParam Output Return type of the tool.
 */
export interface TypedToolResult<Output> {
  /** Id of the tool call. */
  readonly toolCallId: string;
  /** Index of the iteration that contains the tool call. */
  readonly iteration: number;
  /** Value that the tool returned. */
  readonly output: Output;
}

/**
 * Returns the results of one tool in a run, in call order, typed as the tool's return type. Failed
 * calls, denied calls and results that were truncated to `maxToolOutputChars` are omitted.
 *
 * Each result is read from the transcript, so its value is the tool's return value after conversion
 * to JSON. If the tool returns nothing, the value is `""`. If the tool returns a
 * {@linkcode ToolOutput}, the value consists of the text, data or parts of that output.
 *
 * @typeParam Output Return type of the tool.
 * @param output Output of a run, or the `partialOutput` of the run's error.
 * @param tool Tool whose results are returned. Results are matched by the tool's name.
 *
 * @example Read the prices that an agent looked up
 * ```ts
 * import { defineTool, jsonSchema, resultsOf, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const price = defineTool({
 *   name: "price",
 *   inputSchema: jsonSchema<{ item: string }>({ type: "object", required: ["item"] }),
 *   execute: ({ item }) => ({ item, euros: 3 }),
 * });
 * const model = scriptedModel([
 *   { calls: [{ toolName: "price", input: { item: "tea" } }] },
 *   { text: "3 euros" },
 * ]);
 * const agent = new ToolLoopAgent({ name: "till", model, tools: [price] });
 * const output = await agent.run("What does tea cost?");
 * const total = resultsOf(output, price).reduce((sum, result) => sum + result.output.euros, 0);
 * assertEquals(total, 3);
 * await agent.terminate();
 * ```
 */
export function resultsOf<Output>(
  output: PartialLoopOutput,
  tool: Tool<never, Output>,
): readonly TypedToolResult<Output>[] {
  return output.iterations.flatMap(({ index: iteration, toolResults }) =>
    toolResults.filter((result) => result.toolName === tool.name && isComplete(result))
      .map(({ toolCallId, output }) => ({
        toolCallId,
        iteration,
        // The cast is safe, because the loop created the output from the return value of `execute`.
        output: ("value" in output ? output.value : undefined) as Output,
      }))
  );
}

/**
 * Returns true if the output of a result is the tool's return value, rather than an error or a
 * truncated value.
 */
function isComplete({ isError, isTruncated }: ToolResult): boolean {
  return !isError && isTruncated === undefined;
}
