/**
 * Tools that run a sub-agent.
 *
 * @module
 */

import { executionOf } from "../loop/tool_call_execution.ts";
import { assertNonEmptyString, assertOptionalFunction } from "@parley/internal/assert-argument";
import { AgentError } from "../shared/error.ts";
import { hasAnswer } from "../shared/has_answer.ts";
import { isJsonValue, type JsonValue } from "../shared/json.ts";
import { defined, isRecord } from "@parley/internal/json";
import { optionsReader, required } from "@parley/internal/options";
import { AGENT_ALIASES } from "../shared/aliases.ts";
import { reportRejection } from "@parley/internal/report-rejection";
import type { UserTurn } from "../shared/model.ts";
import type { WholeSchema } from "../shared/schema.ts";
import type { Infer, Schema } from "../shared/typed_schema.ts";
import { type Tool, type ToolContext, ToolError } from "../tools/tool.ts";
import { ToolLoopAgent } from "./agent.ts";
import { grantableNames } from "./grants.ts";
import { runSubAgentTask, SUB_AGENT_RULES, type SubAgentConfig } from "./sub_agent.ts";
import { TASK_SCHEMA } from "./task_schema.ts";

/**
 * Configuration for {@linkcode asTool}: the tool and its sub-agent, which have the same name.
 *
 * @typeParam S Type of the input schema.
 */
export interface AgentToolConfig<S extends Schema = Schema<{ task: string }>>
  extends SubAgentConfig {
  /** Description of the tool for the calling agent's model. */
  readonly description: string;
  /**
   * Schema of the tool's input. If omitted, the input is an object with a string property named
   * `task`.
   */
  readonly inputSchema?: WholeSchema<S>;
  /**
   * Converts the tool's input to the user message for the sub-agent. If omitted, the message is the
   * `task` or, with an `inputSchema`, the input as JSON text.
   */
  readonly prompt?: (input: Infer<S>) => UserTurn;
}

/** Configuration whose input has any type. */
interface AnyToolConfig extends Omit<AgentToolConfig, "inputSchema" | "prompt"> {
  readonly inputSchema?: Schema;
  readonly prompt?: (input: never) => UserTurn;
}

const readAgentToolConfig = optionsReader<AnyToolConfig>("config", {
  ...AGENT_ALIASES,
  parameters: "inputSchema",
  tools: "allowedTools",
})({
  ...SUB_AGENT_RULES,
  description: required(assertNonEmptyString),
  // The schema is compiled, and thereby validated, when the tool is registered.
  inputSchema: () => {},
  prompt: assertOptionalFunction,
});

/**
 * Creates a tool that runs a sub-agent of the agent that calls the tool, as
 * {@linkcode runSubAgentTask} does: the sub-agent has a subset of that agent's tools, and its
 * journal steps, token usage, events and approvals become part of the run.
 *
 * The result of the tool is the sub-agent's final text or, with an `output` schema, its `value`. If
 * the run ends without a final answer ({@linkcode hasAnswer}) or without final text, the result is
 * an error that names the stop reason. The tool itself has no timeout; the timeouts of the
 * sub-agent's model calls and tool calls apply. If a run is interrupted and resumed, the tool is
 * executed again, and the sub-agent continues after its recorded steps; therefore, the tool has the
 * `idempotent` annotation.
 *
 * If `allowedTools` is omitted, the sub-agent has all tools of the calling agent except this tool.
 * If `prepareIteration` of the calling agent limits the tools, only these and hidden tools can be
 * granted.
 * If `allowedTools` contains the name of this tool, the sub-agent can call itself. Sub-agents can
 * be nested at most 8 levels deep.
 *
 * @typeParam S Type of the input schema.
 * @param config Description and input of the tool; name, model, granted tools and options of the
 * sub-agent.
 * @returns A tool that can be registered in any number of agents.
 * @throws {TypeError} If `name` or `description` is not a non-empty string, `model` is not a
 * `LanguageModel`, or an option has the wrong type.
 * @throws {RangeError} If a numeric option is out of range.
 *
 * @example Ask an expert
 * ```ts
 * import { asTool, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const expert = asTool({
 *   name: "expert",
 *   description: "Answers difficult questions",
 *   model: scriptedModel([{ text: "42" }]),
 *   allowedTools: [],
 * });
 * const boss = new ToolLoopAgent({
 *   name: "boss",
 *   model: scriptedModel([
 *     { calls: [{ toolName: "expert", input: { task: "The answer?" } }] },
 *     { text: "It is 42" },
 *   ]),
 *   tools: [expert],
 * });
 * const output = await boss.run("Ask the expert");
 * assertEquals(output.finalText, "It is 42");
 * assertEquals(Object.keys(output.usageByAgent ?? {}), ["boss", "boss/expert"]);
 * await boss.terminate();
 * ```
 */
export function asTool<S extends Schema = Schema<{ task: string }>>(
  config: AgentToolConfig<S>,
): Tool<Infer<S>, JsonValue> {
  const { description, inputSchema: _, prompt: __, ...settings } = readAgentToolConfig(config);
  // These two members are read from the configuration because their types depend on the input.
  const { inputSchema, prompt } = config;
  const names = settings.allowedTools;
  const subAgent = defined({ ...settings, allowedTools: names && [...names] });
  const { name } = subAgent;
  return {
    name,
    description,
    inputSchema: inputSchema ?? TASK_SCHEMA,
    annotations: { idempotent: true },
    timeoutMs: 0,
    async execute(input, context) {
      const message = prompt ? prompt(input) : toMessage(input, inputSchema === undefined);
      // A promise is not a valid message, so the run rejects.
      reportRejection(message, () => {});
      const caller = callerOf(context);
      const { allowedTools = grantedNames(caller, context, name) } = subAgent;
      const child = { ...subAgent, allowedTools };
      const output = await runSubAgentTask(caller, child, message, { context });
      const { finalText, stopReason, value } = output;
      if (hasAnswer(output)) {
        if (isJsonValue(value)) return value;
        if (finalText !== "") return finalText;
      }
      throw new ToolError(
        `Agent "${name}" ended without a final answer: stop reason "${stopReason}"`,
      );
    },
  };
}

function toMessage(input: unknown, isTask: boolean): string {
  return isTask && isRecord(input) ? String(input.task) : JSON.stringify(input);
}

/** Returns the names of the tools that a caller can grant, except for the tool itself. */
function grantedNames(
  { registry }: ToolLoopAgent,
  context: ToolContext,
  own: string,
): readonly string[] {
  return grantableNames(registry, executionOf(context)?.run).filter((name) => name !== own);
}

function callerOf(context: ToolContext): ToolLoopAgent {
  const owner = executionOf(context)?.run.control.owner;
  if (owner instanceof ToolLoopAgent) return owner;
  throw AgentError.delegationFailed(
    context.agentName,
    "a tool that runs a sub-agent must be called by a ToolLoopAgent",
  );
}
