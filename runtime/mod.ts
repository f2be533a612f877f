/**
 * Agents powered by language models: a tool loop with approvals, limits, streaming, pause and
 * resume, sub-agents and workflows.
 *
 * Start with {@linkcode ToolLoopAgent}, or with {@linkcode runToolLoop} for a single run without an
 * agent. A model is any object with a `modelId` and a `generate` function. `@parley/runtime/models`
 * provides models for common APIs, and `@parley/runtime/testing` provides models for tests. This
 * module does not send messages between processes.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "greeter", model: scriptedModel([{ text: "Hello" }]) });
 * assertEquals((await agent.run("Hi")).finalText, "Hello");
 * await agent.terminate();
 * ```
 *
 * @module
 */

export { type AgentConfig, ToolLoopAgent } from "./agent/agent.ts";
export {
  type ApprovalDecision,
  type ApprovalHandler,
  type ApprovalRequest,
  autoApprove,
  readApprovalDecision,
} from "./loop/approval.ts";
export type {
  Around,
  ModelStepInfo,
  RunStepInfo,
  StepInfo,
  StepOutcome,
  ToolStepInfo,
} from "./loop/around.ts";
export { AgentChannel, type ChannelWaitOptions } from "./channel/channel.ts";
export { AgentError } from "./shared/error.ts";
export type { AgentErrorOptions, ModelErrorOptions } from "./shared/error_codes.ts";
export {
  AgentErrorCode,
  type AgentErrorCodeType,
  type AgentErrorDetails,
  type RunErrorCode,
  type RunErrorDetails,
} from "./shared/error_codes.ts";
export type {
  LoopEvent,
  LoopEventBody,
  LoopEventOrigin,
  LoopEventSink,
  LoopEventTime,
} from "./loop/events.ts";
export { HealthProfile, type HealthSnapshot } from "./lifecycle/health.ts";
export type { StepKind, StepRunner } from "./journal/step_runner.ts";
export { isJsonValue, type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "./shared/json.ts";
export type { IterationContext, IterationPlan, PrepareIteration } from "./loop/iteration_plan.ts";
export {
  AgentLifecycleState,
  type AgentOperation,
  LifecycleManager,
  type LifecycleTransition,
  type LifecycleTrigger,
} from "./lifecycle/lifecycle.ts";
export { type AgentToolConfig, asTool } from "./agent/agent_tool.ts";
export { Budget } from "./budget/budget.ts";
export type { BudgetLimits, BudgetUse, LimitName } from "./budget/limits.ts";
export type {
  BudgetState,
  BudgetStore,
  PurgeableBudgetStore,
  ReserveOptions,
} from "./budget/budget_store.ts";
export { memoryBudgetStore, type MemoryBudgetStoreOptions } from "./budget/memory_budget_store.ts";
export { type CallToEstimate, type EstimatedUsage } from "./budget/stored_account.ts";
export { storedBudget, type StoredBudgetOptions } from "./budget/stored_budget.ts";
export { requireValue } from "./loop/final_answer.ts";
export { runToolLoop } from "./loop/loop.ts";
export type { LoopOptions, RunOptions, ToolLoopConfig } from "./loop/options.ts";
export type { McpToolLike, McpToolOptions, McpToolSource } from "./tools/mcp_tools.ts";
export {
  type AgentMessage,
  createAgentMessage,
  createTypedMessage,
  type MessageOptions,
  MessageType,
  type TypedMessage,
} from "./channel/message.ts";
export type { GenerationOptions, ProviderTool } from "./shared/generation_options.ts";
export {
  type AssistantMessage,
  type FileData,
  type FilePart,
  FINISH_REASONS,
  type FinishReason,
  type LanguageModel,
  type MessageInput,
  type ModelDelta,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  type ModelStreamEvent,
  type ReasoningPart,
  type SystemMessage,
  type SystemPrompt,
  type TextMessage,
  type TextPart,
  type ToolCall,
  type ToolDefinition,
  type ToolMessage,
  type ToolResult,
  ToolResultCode,
  type ToolResultOutput,
  type UserContent,
  type UserMessage,
  type UserTurn,
} from "./shared/model.ts";
export { isRetryable } from "./shared/model_failure.ts";
export type { ProviderOptions } from "./shared/provider_options.ts";
export { hasAnswer } from "./shared/has_answer.ts";
export {
  AgentStopReason,
  type ApprovalReason,
  type HistoryView,
  type PartialLoopOutput,
  type PartialWorkflowResult,
  type PendingApproval,
  type PendingBatch,
  type PendingStep,
  type PendingWait,
  type ToolLoopIteration,
  type ToolLoopOutput,
  type TypedOutput,
  type WorkflowFailure,
  type WorkflowResult,
  type WorkflowStep,
} from "./shared/output.ts";
export type { RepairRequest, ToolCallRepair } from "./loop/tool_call_repair.ts";
export {
  type RegisteredTool,
  type RegisterOptions,
  type ToolIdentity,
  ToolRegistry,
  type ToolRegistryOptions,
} from "./tools/registry.ts";
export { resultsOf, type TypedToolResult } from "./tools/results_of.ts";
export {
  isStandardSchema,
  type JsonSchema,
  type NotARawShape,
  type SchemaCheck,
  type SchemaCheckResult,
  type SchemaIssue,
  type SchemaValidator,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  toJsonSchema,
  toSchemaCheck,
  type WholeSchema,
} from "./shared/schema.ts";
export {
  type Infer,
  jsonSchema,
  type Schema,
  type SCHEMA_TYPE,
  type TypedJsonSchema,
} from "./shared/typed_schema.ts";
export { evaluateStopConditions, type StopDecision } from "./loop/evaluate_stop_conditions.ts";
export {
  type AgentStopCondition,
  customStop,
  type CustomStopOptions,
  hasToolCall,
  type LoopContext,
  maxIterations,
  maxTotalTokens,
  modelStopsNaturally,
  repeatedToolCalls,
} from "./loop/stop_conditions.ts";
export { readToolInput } from "./shared/read_tool_input.ts";
export { answerText, type AnswerTextOptions } from "./loop/answer_text.ts";
export { type StreamOptions, streamToolLoop, type ToolLoopStream } from "./loop/stream.ts";
export {
  createSubAgent,
  runSubAgentTask,
  type SubAgentConfig,
  type SubAgentTaskOptions,
} from "./agent/sub_agent.ts";
export {
  defineTool,
  type Tool,
  type ToolAnnotations,
  type ToolCallOrigin,
  type ToolContext,
  ToolError,
  ToolOutput,
  type ToolSpec,
  type ToolSpecs,
} from "./tools/tool.ts";
export { costOf, type ModelPrice, type PriceFunction, type PriceTable } from "./shared/prices.ts";
export { addUsage, NO_USAGE, type TokenUsage, UNKNOWN_USAGE } from "./shared/usage.ts";
export { jsonSchemaValidator, type JsonSchemaValidatorOptions } from "./tools/json_schema.ts";
export { ParallelWorkflow } from "./workflow/parallel.ts";
export { RouterWorkflow } from "./workflow/router.ts";
export { SequentialWorkflow } from "./workflow/sequential.ts";
export type {
  AgentRouter,
  ParallelWorkflowOptions,
  RouterWorkflowOptions,
  SequentialWorkflowOptions,
  WorkflowRunOptions,
} from "./workflow/workflow.ts";
