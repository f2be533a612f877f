/**
 * MCP server tools that run an agent.
 *
 * @module
 */

import type { ToolLoopAgent } from "../agent/agent.ts";
import { TASK_SCHEMA } from "../agent/task_schema.ts";
import type { LoopEvent } from "../loop/events.ts";
import {
  assertFunction,
  assertNonEmptyString,
  assertRecord,
} from "@parley/internal/assert-argument";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { endAgent, makeAgent } from "../agent/make_agent.ts";
import { isJsonValue, type JsonObject, type JsonValue } from "../shared/json.ts";
import { hasAnswer } from "../shared/has_answer.ts";
import { type StandardSchema, toJsonSchema } from "../shared/schema.ts";
import { sendNewest } from "./send_newest.ts";

/** Options for {@linkcode agentMcpTool}. */
export interface AgentMcpToolOptions {
  /** Name of the tool. */
  readonly name: string;
  /** Description of the tool for the client's model. */
  readonly description: string;
  /** Creates the agent. Called for each tool call; the agent is terminated when the call ends. */
  readonly make: () => ToolLoopAgent | Promise<ToolLoopAgent>;
  /**
   * JSON Schema of the answer, which must describe an object. The answer becomes the structured
   * content of the result. If omitted, the result contains only the agent's final text.
   */
  readonly outputSchema?: JsonObject;
  /**
   * Maximum time for creating and initializing the agent, and for terminating it, in milliseconds;
   * between 1 and 2^31 - 1. A call whose agent is not ready in time fails.
   *
   * @default {60_000}
   */
  readonly agentTimeoutMs?: number;
}

const readAgentMcpToolOptions = optionsReader<AgentMcpToolOptions>("options")({
  name: required(assertNonEmptyString),
  description: required(assertNonEmptyString),
  make: required(assertFunction),
  outputSchema: assertRecord,
  agentTimeoutMs: withDefault(60_000, int32From(1)),
});

/** Definition of a tool, as accepted by the `registerTool` method of an MCP server. */
export type McpToolDefinition = {
  /** Name of the tool. */
  readonly name: string;
  /** Description of the tool. */
  readonly description: string;
  /** Schema of the arguments: an object with a string property named `task`. */
  readonly inputSchema: StandardSchema<unknown, { task: string }>;
  /** JSON Schema of the structured content. */
  readonly outputSchema?: JsonObject;
};

/**
 * Context of a tool call. A `RequestContext` from `@parley/mcp/server` can be used as an
 * `McpToolContext`.
 */
export interface McpToolContext {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  /** Reports progress to the client. */
  progress(done: number, options?: { readonly message?: string }): Promise<void>;
}

/** Result of a tool call, as returned by the handler of an MCP tool. */
export type McpToolResult = {
  /** Text of the answer or error. */
  readonly content: readonly [{ readonly type: "text"; readonly text: string }];
  /** Answer that matches `outputSchema`. */
  readonly structuredContent?: JsonValue;
  /** Whether the agent ended without a final answer. */
  readonly isError?: true;
};

/** Handles calls to an MCP tool. */
export type McpToolHandler = (
  args: { readonly task: string },
  context: McpToolContext,
) => Promise<McpToolResult>;

/**
 * Creates an MCP server tool that runs an agent: the definition and the handler, in the order of
 * the parameters of `registerTool`.
 *
 * Every call runs a new agent with the `task` from the arguments. The client receives a progress
 * notification for each model call and each tool call, with the tool's name but not its input.
 * While a notification is being sent, only the newest of the following ones is kept. If the client
 * cancels the call, the run is aborted. If a run ends without a final answer, for example because
 * an approval was deferred, the result has `isError` set and names the stop reason. The run is not
 * durable, because an MCP call has no id that stays the same after a crash.
 *
 * @param options Name and description of the tool, and a function that creates the agent.
 * @throws {TypeError} If `name` or `description` is not a non-empty string, or `make` is not a
 * function.
 *
 * @example Register an agent with an MCP server
 * ```ts
 * import { McpServer } from "@parley/mcp/server";
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { agentMcpTool } from "@parley/runtime/bridge";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "oracle", version: "1.0.0" });
 * server.registerTool(...agentMcpTool({
 *   name: "ask",
 *   description: "Answers difficult questions",
 *   make: () => new ToolLoopAgent({ name: "oracle", model: scriptedModel([{ text: "42" }]) }),
 * }));
 * const response = await server.handleRequest({
 *   jsonrpc: "2.0",
 *   id: 1,
 *   method: "tools/call",
 *   params: { name: "ask", arguments: { task: "6 * 7?" } },
 * });
 * assertEquals(response.result, { content: [{ type: "text", text: "42" }] });
 * ```
 */
export function agentMcpTool(
  options: AgentMcpToolOptions,
): readonly [McpToolDefinition, McpToolHandler] {
  const { agentTimeoutMs, description, make, name, outputSchema } = readAgentMcpToolOptions(
    options,
  );
  // The agent has been created for one call and is not used again, and nobody receives the error.
  const limits = { timeoutMs: agentTimeoutMs, onError: () => {} };
  const output = outputSchema === undefined ? undefined : toJsonSchema(outputSchema, "output");
  const handler: McpToolHandler = async ({ task }, { progress, signal }) => {
    const agent = await makeAgent({ name: "options.make", make: () => make() }, limits, signal);
    let done = 0;
    // If the client has disconnected, the call is aborted anyway.
    const report = sendNewest<{ done: number; message: string }>(
      ({ done, message }) => progress(done, { message }),
      () => {},
    );
    const onEvent = (event: LoopEvent): void => {
      const message = describeProgress(event);
      if (message !== undefined) report({ done: ++done, message });
    };
    try {
      const result = output === undefined
        ? await agent.run(task, { signal, onEvent })
        : await agent.run(task, { signal, onEvent, output });
      const { finalText, stopReason, value } = result;
      if (hasAnswer(result)) {
        if (isJsonValue(value)) return { ...toContent(finalText), structuredContent: value };
        if (output === undefined && finalText !== "") return toContent(finalText);
      }
      const text = `Agent "${name}" ended without a final answer: stop reason "${stopReason}"`;
      return { ...toContent(text), isError: true };
    } finally {
      await endAgent(agent, limits);
    }
  };
  return [
    { name, description, inputSchema: TASK_SCHEMA, ...outputSchema && { outputSchema } },
    handler,
  ];
}

function toContent(text: string): Pick<McpToolResult, "content"> {
  return { content: [{ type: "text", text }] };
}

function describeProgress(event: LoopEvent): string | undefined {
  if (event.type === "model_started") return `Calling model ${event.modelId}`;
  if (event.type === "tool_started") return `Calling tool ${event.toolCall.toolName}`;
  return undefined;
}
