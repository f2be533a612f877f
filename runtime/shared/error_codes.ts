/**
 * The codes of the error class of this package, the details of each code, and its options.
 *
 * @module
 */

import type { AgentStopReason, PartialLoopOutput, PartialWorkflowResult } from "./output.ts";
import type { SchemaIssue } from "./schema.ts";

/**
 * Codes of `AgentError`, in snake case. Each code corresponds to one named constructor of
 * `AgentError`.
 */
export const AgentErrorCode = {
  /** A run reached its iteration limit, and `onMaxIterations` is `"throw"`. */
  MaxIterationsExceeded: "max_iterations_exceeded",
  /** No tool with the requested name is registered. */
  ToolNotFound: "tool_not_found",
  /** A tool failed, and `onToolError` is `"throw"`. */
  ToolExecutionFailed: "tool_execution_failed",
  /** A model call failed. */
  ModelError: "model_error",
  /** A step of a workflow failed. */
  WorkflowFailed: "workflow_failed",
  /** A sub-agent could not be created or did not finish. */
  DelegationFailed: "delegation_failed",
  /** The state of the agent does not allow the operation. */
  InvalidState: "invalid_state",
  /** A run ended without a valid final answer. */
  OutputInvalid: "output_invalid",
  /** A channel is full or closed. */
  ChannelError: "channel_error",
  /** Another run was added to a session before this run ended. */
  SessionConflict: "session_conflict",
  /** A run of a session is in progress. */
  SessionBusy: "session_busy",
  /** A decision was sent to a session that does not wait for one. */
  SessionNotWaiting: "session_not_waiting",
  /** The sessions of this process are closed. */
  SessionsClosed: "sessions_closed",
  /** A limit of this process is reached. */
  CapacityExceeded: "capacity_exceeded",
  /** A durable run with the same id and a different agent, message or budget exists. */
  RunConflict: "run_conflict",
  /** There is no durable run with the given id. */
  RunNotFound: "run_not_found",
  /** An agent's prompt, tools or model have changed, but its version has not. */
  RunAgentChanged: "run_agent_changed",
  /** No agent in this program accepts the agent version of a durable run. */
  RunVersionNotAccepted: "run_version_not_accepted",
  /** Another worker has opened a durable run, so this worker can no longer record its steps. */
  RunFenced: "run_fenced",
  /** A durable run exceeds a limit. */
  RunLimit: "run_limit",
  /** The stored data of a durable run is damaged or was changed by another program. */
  RunDamaged: "run_damaged",
  /** Any other error. */
  Core: "core",
} as const;

/** Codes of errors that concern one durable run. */
export type RunErrorCode =
  | "run_agent_changed"
  | "run_conflict"
  | "run_damaged"
  | "run_fenced"
  | "run_limit"
  | "run_not_found"
  | "run_version_not_accepted";

/** One of the values of {@linkcode AgentErrorCode}. */
export type AgentErrorCodeType = typeof AgentErrorCode[keyof typeof AgentErrorCode];

/** Details of an error that concerns one durable run. */
export interface RunErrorDetails {
  /** Id of the run. */
  readonly runId: string;
  /** Reason for the failure. */
  readonly reason: string;
}

/**
 * Type of `AgentError.details` for each named constructor. The details of an error are
 * the arguments of its named constructor.
 */
export interface AgentErrorDetails extends Readonly<Record<RunErrorCode, RunErrorDetails>> {
  /** Details of `maxIterationsExceeded`. */
  readonly max_iterations_exceeded: {
    /** Maximum number of iterations. */
    readonly maxIterations: number;
    /** Names of the tools called in the last iteration, in call order, including duplicates. */
    readonly lastToolNames: readonly string[];
  };
  /** Details of `toolNotFound`. */
  readonly tool_not_found: {
    /** Name of the requested tool. */
    readonly toolName: string;
    /** Names of the registered tools. */
    readonly available: readonly string[];
  };
  /** Details of `toolExecutionFailed`. */
  readonly tool_execution_failed: {
    /** Name of the tool. */
    readonly toolName: string;
    /** Reason for the failure. */
    readonly reason: string;
  };
  /** Details of `modelError`. */
  readonly model_error: {
    /** Reason for the failure. */
    readonly reason: string;
    /** HTTP status of the response, if a response was received. */
    readonly status?: number;
  };
  /** Details of `workflowFailed`. */
  readonly workflow_failed: {
    /** Id of the workflow. */
    readonly workflowId: string;
    /** Index of the step that failed; -1 if the router or `reduce` failed instead of a step. */
    readonly stepIndex: number;
    /** Reason for the failure. */
    readonly reason: string;
  };
  /** Details of `delegationFailed`. */
  readonly delegation_failed: {
    /** DID of the parent agent, or the parent's name if the parent has no DID. */
    readonly parentDid: string;
    /** Reason for the failure. */
    readonly reason: string;
  };
  /** Details of `invalidState`. */
  readonly invalid_state: {
    /** Current state of the agent. */
    readonly currentState: string;
    /** State that the operation requires. */
    readonly requiredState: string;
    /** Rejected operation, as a verb phrase such as `pause`. */
    readonly operation: string;
  };
  /** Details of `outputInvalid`. */
  readonly output_invalid: {
    /** Reason why the run ended. */
    readonly stopReason: AgentStopReason;
    /** Issues found in the last final answer; an empty array if the model gave no final answer. */
    readonly issues: readonly SchemaIssue[];
  };
  /** Details of `channelError`. */
  readonly channel_error: {
    /** Reason for the failure. */
    readonly reason: string;
  };
  /** Details of `sessionConflict`. */
  readonly session_conflict: {
    /** Id of the session. */
    readonly sessionId: string;
    /** Number of records that the session had when the run started. */
    readonly expectedLength: number;
  };
  /** Details of `sessionBusy`. */
  readonly session_busy: {
    /** Id of the session. */
    readonly sessionId: string;
    /** Id of the run in progress. */
    readonly runId: string;
  };
  /** Details of `sessionNotWaiting`. */
  readonly session_not_waiting: {
    /** Id of the session. */
    readonly sessionId: string;
  };
  /** Details of `sessionsClosed`. */
  readonly sessions_closed: Readonly<Record<never, never>>;
  /** Details of `capacityExceeded`. */
  readonly capacity_exceeded: {
    /** What there is too much of, as a plural. */
    readonly resource: string;
    /** Maximum number. */
    readonly limit: number;
  };
  /** Details of `core`. */
  readonly core: {
    /** Reason for the failure. */
    readonly cause: string;
  };
}

/** Options for the `AgentError` constructors. */
export interface AgentErrorOptions extends ErrorOptions {
  /**
   * Output of the run before the failure. The `messages` of this output form a valid conversation,
   * which another run can continue.
   */
  readonly partialOutput?: PartialLoopOutput;
  /** Result of the workflow before the failure. */
  readonly partialResult?: PartialWorkflowResult;
}

/** Options for `AgentError.modelError`. */
export interface ModelErrorOptions extends AgentErrorOptions {
  /**
   * Whether the same model call might succeed later.
   *
   * @default {false}
   */
  readonly retryable?: boolean;
  /** Retry delay requested by the provider, in milliseconds. */
  readonly retryAfterMs?: number;
  /** HTTP status of the response, if a response was received. */
  readonly status?: number;
}
