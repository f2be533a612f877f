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
 * @typeParam Output Type of what the tool returns.
 */
export interface TypedToolResult<Output> {
  /** Id of the tool call. */
  readonly toolCallId: string;
  /** Index of the iteration in which the tool was called. */
  readonly iteration: number;
  /** What the tool returned. */
  readonly output: Output;
}

/**
 * Returns the results of one tool in a run, in call order, with the type of what the tool returns. Failed calls, denied
 * calls and results that were cut to `maxToolOutputChars` are left out.
 *
 * The output is read from the transcript, so it is what the tool returned after a conversion to JSON. For a tool that
 * returns nothing, the output is `""`. For a tool that returns a {@linkcode ToolOutput}, the output is its text, data or
 * parts.
 *
 * @typeParam Output Type of what the tool returns.
 * @param output Output of a run, or the `partialOutput` of its error.
 * @param tool Tool whose results are returned. Results are found by the name of the tool.
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
 * await agent.initialize();
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
        // The loop created the output from what `execute` returned.
        output: ("value" in output ? output.value : undefined) as Output,
      }))
  );
}

/** Returns true if the output of a result is what the tool returned. */
function isComplete({ isError, isTruncated }: ToolResult): boolean {
  return !isError && isTruncated === undefined;
}
