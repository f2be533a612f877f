/**
 * MCP server tools that run an agent.
 *
 * @module
 */

import {
  assertMethods,
  assertNonEmptyString,
  assertRecord,
} from "@parley/internal/assert-argument";
import { optionsReader, required } from "@parley/internal/options";
import { TASK_SCHEMA } from "../agent/task_schema.ts";
import type { LiveEvent } from "../log/live_run.ts";
import type { Principal, ServedAgent, ServedRun, ServedRunState } from "../serve/contracts.ts";
import { isJsonValue, type JsonObject, type JsonValue } from "../shared/json.ts";
import { type StandardSchema, toJsonSchema } from "../shared/schema.ts";
import { sendNewest } from "./send_newest.ts";

/** Options for {@linkcode agentMcpTool}. */
export interface AgentMcpToolOptions {
  /** Name of the tool. */
  readonly name: string;
  /** Description of the tool for the client's model. */
  readonly description: string;
  /**
   * JSON Schema of the structured content of the result, which must describe an object: the schema
   * of the `output` of the agent. If omitted, the result contains only the agent's final text.
   */
  readonly outputSchema?: JsonObject;
}

const readAgentMcpToolOptions = optionsReader<AgentMcpToolOptions>("options")({
  name: required(assertNonEmptyString),
  description: required(assertNonEmptyString),
  outputSchema: assertRecord,
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
  /** The authenticated caller. Absent if the server accepts calls without authentication. */
  readonly principal?: Principal | undefined;
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
 * Every call starts a temporary run with the `task` from the arguments, as the principal of the
 * call. The run is not stored, unless the agent is served by `serveRuns`. The client receives a
 * progress notification for each model call and each tool call, with the tool's name but not its
 * input. While a notification is being sent, only the newest of the following ones is kept. If the
 * client cancels the call, the run is cancelled. If a run ends without a final answer, the result
 * has `isError` set and names the stop reason. A run that waits for a decision or a signal is
 * cancelled, because the client cannot send one. The errors of a failed run are not sent to the
 * client.
 *
 * @param served Agent, from `serveSessions` or `serveRuns`.
 * @param options Name and description of the tool, and the schema of its result.
 * @throws {TypeError} If `served` is not a served agent, or an option is invalid.
 *
 * @example Register an agent with an MCP server
 * ```ts
 * import { McpServer } from "@parley/mcp/server";
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { agentMcpTool } from "@parley/runtime/bridge";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using served = serveSessions({
 *   storage: memoryStorage(),
 *   make: () => new ToolLoopAgent({ name: "oracle", model: scriptedModel([{ text: "42" }]) }),
 * });
 * const server = new McpServer({ name: "oracle", version: "1.0.0" });
 * server.registerTool(
 *   ...agentMcpTool(served, { name: "ask", description: "Answers difficult questions" }),
 * );
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
  served: Pick<ServedAgent, "start">,
  options: AgentMcpToolOptions,
): readonly [McpToolDefinition, McpToolHandler] {
  assertMethods("served", "a served agent", served, ["start"]);
  const { description, name, outputSchema } = readAgentMcpToolOptions(options);
  if (outputSchema !== undefined) toJsonSchema(outputSchema, "output");
  const handler: McpToolHandler = async ({ task }, { principal, progress, signal }) => {
    const run = await served.start(principal, { turn: task, isTemporary: true });
    try {
      await reportProgress(run, signal, progress);
      const state = await run.settled({ until: "waiting", signal });
      if (state.status === "waiting") await run.cancel();
      return toResult(name, state, outputSchema !== undefined);
    } catch (error) {
      await run.cancel();
      throw error;
    }
  };
  return [
    { name, description, inputSchema: TASK_SCHEMA, ...outputSchema && { outputSchema } },
    handler,
  ];
}

/** Reports the progress of a run until it ends, waits or is cancelled. */
async function reportProgress(
  run: ServedRun,
  signal: AbortSignal,
  progress: McpToolContext["progress"],
): Promise<void> {
  let done = 0;
  const report = sendNewest<{ done: number; message: string }>(
    ({ done, message }) => progress(done, { message }),
    // If the client has disconnected, the call is aborted anyway.
    () => {},
  );
  for await (const { event } of run.events({ signal })) {
    const message = describeProgress(event);
    if (message !== undefined) report({ done: ++done, message });
  }
}

function toResult(
  name: string,
  { result, status, waitingFor }: ServedRunState,
  isStructured: boolean,
): McpToolResult {
  const { finalText = "", hasAnswer = false, stopReason, value } = result ?? {};
  if (hasAnswer && isStructured && isJsonValue(value)) {
    return { ...toContent(finalText), structuredContent: value };
  }
  if (hasAnswer && !isStructured && finalText !== "") return toContent(finalText);
  const [wait] = waitingFor;
  const reason = wait === undefined
    ? `stop reason "${stopReason ?? status}"`
    : `tool "${wait.toolName}" waits for ${wait.kind === "approval" ? "a decision" : "input"}`;
  return {
    ...toContent(`Agent "${name}" ended without a final answer: ${reason}`),
    isError: true,
  };
}

function toContent(text: string): Pick<McpToolResult, "content"> {
  return { content: [{ type: "text", text }] };
}

function describeProgress(event: LiveEvent["event"]): string | undefined {
  if (event.type === "model_started") return `Calling model ${event.modelId}`;
  if (event.type === "tool_started") return `Calling tool ${event.toolCall.toolName}`;
  return undefined;
}
