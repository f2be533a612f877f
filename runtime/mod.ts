/**
 * Agents that work: a tool loop over any language model.
 *
 * @module
 */

export {
  AgentError,
  AgentErrorCode,
  type AgentErrorCodeType,
  type AgentErrorDetails,
  type AgentErrorOptions,
  type ModelErrorOptions,
  reasonOf,
} from "./error.ts";
export type { LoopEvent, LoopEventBody, LoopEventOrigin, LoopEventSink } from "./event.ts";
export { isJsonValue, isRecord, type JsonObject, type JsonValue, MAX_JSON_DEPTH } from "./json.ts";
export {
  type AssistantMessage,
  type FileData,
  type FilePart,
  FINISH_REASONS,
  type FinishReason,
  type GenerationOptions,
  isRetryable,
  type LanguageModel,
  type ModelDelta,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  type ModelStreamEvent,
  type ProviderOptions,
  readToolInput,
  type ReasoningPart,
  type SystemMessage,
  type TextPart,
  type ToolCall,
  type ToolDefinition,
  type ToolMessage,
  type ToolResult,
  ToolResultCode,
  type ToolResultOutput,
  type UserMessage,
} from "./model.ts";
export {
  AgentStopReason,
  type PendingApproval,
  type PendingBatch,
  type ToolLoopIteration,
  type ToolLoopOutput,
  type WorkflowFailure,
  type WorkflowResult,
  type WorkflowStep,
} from "./output.ts";
export {
  isStandardSchema,
  type JsonSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "./schema.ts";
export {
  defineTool,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  ToolError,
  ToolOutput,
} from "./tool.ts";
export { addUsage, NO_USAGE, type TokenUsage, UNKNOWN_USAGE } from "./usage.ts";
