/**
 * The error class of this package.
 *
 * Callers branch on `code`; the text of `message` may change. Invalid arguments throw a `TypeError`
 * or `RangeError` instead of an `AgentError`.
 *
 * @module
 */

import { defined, isRecord } from "@parley/internal/json";
import type { AgentStopReason, PartialLoopOutput, PartialWorkflowResult } from "./output.ts";
import { formatIssues } from "@parley/internal/schema";
import type { SchemaIssue } from "./schema.ts";
import { escapeText } from "@parley/internal/escape-text";
import type {
  AgentErrorCodeType,
  AgentErrorDetails,
  AgentErrorOptions,
  ModelErrorOptions,
  RunErrorCode,
  RunErrorDetails,
} from "./error_codes.ts";

// A registered symbol lets two copies of this package (from JSR and npm) recognize each other's
// errors.
const BRAND = Symbol.for("parley.AgentError");

/**
 * The error that this package throws. Named constructors, such as `AgentError.toolNotFound()`,
 * create these errors.
 *
 * @example Branch on the error code
 * ```ts
 * import { AgentError, AgentErrorCode } from "@parley/runtime";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const error: unknown = AgentError.toolNotFound("grep", ["read", "write"]);
 * assert(AgentError.isAgentError(error) && error.is(AgentErrorCode.ToolNotFound));
 * assertEquals(error.details.available, ["read", "write"]);
 * ```
 */
export class AgentError extends Error {
  /** The name of the class. */
  override readonly name = "AgentError";
  /** Kind of error. */
  declare readonly code: AgentErrorCodeType;
  /** Parameters of the named constructor. */
  declare readonly details: AgentErrorDetails[AgentErrorCodeType];
  /** Output of the run before the failure. */
  declare readonly partialOutput?: PartialLoopOutput;
  /** Result of the workflow before the failure. */
  declare readonly partialResult?: PartialWorkflowResult;
  /** Whether the same model call might succeed later. */
  readonly retryable: boolean = false;
  /** Retry delay requested by the provider, in milliseconds. */
  declare readonly retryAfterMs?: number;

  /**
   * Creates an error. Use the named constructors instead of `new AgentError()`.
   *
   * @param code Kind of error.
   * @param message Human-readable message.
   * @param details Parameters of the named constructor.
   * @param options Cause and partial output.
   */
  constructor(
    code: AgentErrorCodeType,
    message: string,
    details: AgentErrorDetails[AgentErrorCodeType],
    options: AgentErrorOptions = {},
  ) {
    super(escapeText(message), options);
    Object.assign(this, defined(options), { code, details: Object.freeze(details) });
    Object.defineProperty(this, BRAND, { value: true });
  }

  /**
   * Creates an error for a run that reached its iteration limit.
   *
   * @param maxIterations Maximum number of iterations.
   * @param lastToolNames Names of the tools called in the last iteration.
   * @param options Cause and partial output.
   */
  static maxIterationsExceeded(
    maxIterations: number,
    lastToolNames: readonly string[],
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "max_iterations_exceeded",
      `Cannot finish the run within ${maxIterations} iterations: the last iteration called ${
        formatNames(lastToolNames)
      }`,
      { maxIterations, lastToolNames },
      options,
    );
  }

  /**
   * Creates an error for a tool that is not registered.
   *
   * @param toolName Name of the requested tool.
   * @param available Names of the registered tools.
   * @param options Cause and partial output.
   */
  static toolNotFound(
    toolName: string,
    available: readonly string[],
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "tool_not_found",
      `Cannot find tool "${toolName}": not registered; available tools: ${formatNames(available)}`,
      { toolName, available },
      options,
    );
  }

  /**
   * Creates an error for a tool that failed.
   *
   * @param toolName Name of the tool.
   * @param reason Reason for the failure.
   * @param options Cause and partial output.
   */
  static toolExecutionFailed(
    toolName: string,
    reason: string,
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "tool_execution_failed",
      `Cannot execute tool "${toolName}": ${reason}`,
      { toolName, reason },
      options,
    );
  }

  /**
   * Creates an error for a model call that failed.
   *
   * @param reason Reason for the failure.
   * @param options Cause, partial output, HTTP status, and whether and when to retry.
   */
  static modelError(reason: string, { status, ...options }: ModelErrorOptions = {}): AgentError {
    return make(
      "model_error",
      `Cannot get a response from the model: ${reason}`,
      defined({ reason, status }),
      options,
    );
  }

  /**
   * Creates an error for a workflow in which a step failed.
   *
   * @param workflowId Id of the workflow.
   * @param stepIndex Index of the step; -1 if the router or `reduce` failed instead of a step.
   * @param reason Reason for the failure.
   * @param options Cause and partial output.
   */
  static workflowFailed(
    workflowId: string,
    stepIndex: number,
    reason: string,
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "workflow_failed",
      stepIndex < 0
        ? `Cannot run workflow "${workflowId}": ${reason}`
        : `Cannot finish workflow "${workflowId}": step ${stepIndex}: ${reason}`,
      { workflowId, stepIndex, reason },
      options,
    );
  }

  /**
   * Creates an error for a sub-agent that could not be created or did not finish.
   *
   * @param parentDid DID of the parent agent, or the parent's name if the parent has no DID.
   * @param reason Reason for the failure.
   * @param options Cause and partial output.
   */
  static delegationFailed(
    parentDid: string,
    reason: string,
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "delegation_failed",
      `Cannot delegate from "${parentDid}": ${reason}`,
      { parentDid, reason },
      options,
    );
  }

  /**
   * Creates an error for an operation that the state of the agent does not allow.
   *
   * @param currentState Current state of the agent.
   * @param requiredState State that the operation requires.
   * @param operation Rejected operation, as a verb phrase such as `pause`.
   */
  static invalidState(currentState: string, requiredState: string, operation: string): AgentError {
    return make(
      "invalid_state",
      `Cannot ${operation}: expected agent state "${requiredState}", got "${currentState}"${
        remedyFor(currentState, operation)
      }`,
      { currentState, requiredState, operation },
    );
  }

  /**
   * Creates an error for a run that ended without a valid final answer.
   *
   * @param stopReason Reason why the run ended.
   * @param issues Issues found in the last final answer; an empty array if the model gave no final
   * answer.
   * @param options Cause and partial output.
   */
  static outputInvalid(
    stopReason: AgentStopReason,
    issues: readonly SchemaIssue[],
    options?: AgentErrorOptions,
  ): AgentError {
    const reason = issues.length === 0 ? "no final answer" : formatIssues(issues);
    return make(
      "output_invalid",
      `Cannot read the value of the output: ${reason} (stop reason "${stopReason}")`,
      { stopReason, issues },
      options,
    );
  }

  /**
   * Creates an error for a channel that is full or closed.
   *
   * @param reason Reason for the failure.
   * @param options Cause and partial output.
   */
  static channelError(reason: string, options?: AgentErrorOptions): AgentError {
    return make(
      "channel_error",
      `Cannot use the channel: ${reason}`,
      { reason },
      options,
    );
  }

  /**
   * Creates an error for a run that was not added to its session because another run was added
   * first.
   *
   * @param sessionId Id of the session.
   * @param expectedLength Number of records that the session had when the run started.
   * @param options Cause of the error, and the output of the run.
   */
  static sessionConflict(
    sessionId: string,
    expectedLength: number,
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "session_conflict",
      `Cannot add the run to session "${sessionId}": another run was added after record ${expectedLength}`,
      { sessionId, expectedLength },
      options,
    );
  }

  /**
   * Creates an error for a message to a session whose run is in progress.
   *
   * @param sessionId Id of the session.
   * @param runId Id of the run in progress.
   */
  static sessionBusy(sessionId: string, runId: string): AgentError {
    return make(
      "session_busy",
      `Cannot run in session "${sessionId}": run "${runId}" is in progress; ` +
        "attach to it, or stop it first",
      { sessionId, runId },
    );
  }

  /**
   * Creates an error for decisions that no run of a session waits for.
   *
   * @param sessionId Id of the session.
   */
  static sessionNotWaiting(sessionId: string): AgentError {
    return make(
      "session_not_waiting",
      `Cannot apply the decisions in session "${sessionId}": its run does not wait for a decision`,
      { sessionId },
    );
  }

  /** Creates an error for a call to sessions that are closed. */
  static sessionsClosed(): AgentError {
    return make("sessions_closed", "Cannot use the sessions: they are closed", {});
  }

  /**
   * Creates an error for a call that would exceed a limit of this process.
   *
   * @param resource What there is too much of, as a plural.
   * @param limit Maximum number.
   */
  static capacityExceeded(resource: string, limit: number): AgentError {
    return make(
      "capacity_exceeded",
      `Too many ${resource}: this process allows ${limit}`,
      { resource, limit },
    );
  }

  /**
   * Creates an error for a durable run.
   *
   * @param code Kind of error.
   * @param operation Operation that failed, as a verb such as `start`.
   * @param details Id of the run and reason for the failure.
   * @param options Cause of the error.
   */
  static run(
    code: RunErrorCode,
    operation: string,
    { reason, runId }: RunErrorDetails,
    options?: AgentErrorOptions,
  ): AgentError {
    const details = { runId, reason };
    return make(code, `Cannot ${operation} run "${runId}": ${reason}`, details, options);
  }

  /**
   * Creates an error with code `core`, for a failure that has no more specific code.
   *
   * @param cause Message of the error.
   * @param options Cause and partial output.
   */
  static core(cause: string, options?: AgentErrorOptions): AgentError {
    return make("core", cause, { cause }, options);
  }

  /**
   * Returns true if a value is an `AgentError` from this package or from another copy of this
   * package.
   *
   * @param value The value, for example a caught exception.
   */
  static isAgentError(value: unknown): value is AgentError {
    return isRecord(value) && BRAND in value;
  }

  /**
   * Returns a copy of the error that includes the run's output.
   *
   * @param partialOutput Output of the run before the failure.
   */
  withPartialOutput(partialOutput: PartialLoopOutput): AgentError {
    const { code, message, details, cause, stack } = this;
    const copy = make(code, message, details, defined({ ...this, cause, partialOutput }));
    return Object.assign(copy, { stack });
  }

  /**
   * Returns true if the error has the given code. If the result is true, TypeScript narrows the
   * type of `details`.
   *
   * @param code Expected error code.
   */
  is<Code extends AgentErrorCodeType>(
    code: Code,
  ): this is AgentError & { readonly code: Code; readonly details: AgentErrorDetails[Code] } {
    return this.code === code;
  }

  /** Returns true if the error's code is `max_iterations_exceeded`. */
  isMaxIterationsExceeded(): boolean {
    return this.code === "max_iterations_exceeded";
  }

  /** Returns true if the error's code is `tool_not_found`. */
  isToolNotFound(): boolean {
    return this.code === "tool_not_found";
  }

  /** Returns true if the error's code is `workflow_failed`. */
  isWorkflowFailed(): boolean {
    return this.code === "workflow_failed";
  }

  /** Returns true if the error's code is `delegation_failed`. */
  isDelegationFailed(): boolean {
    return this.code === "delegation_failed";
  }

  /** Returns the code, the message and the details as plain data. */
  toJSON(): {
    code: AgentErrorCodeType;
    message: string;
    details: AgentErrorDetails[AgentErrorCodeType];
  } {
    const { code, message, details } = this;
    return { code, message, details };
  }
}

/**
 * Returns the message of an error, or any other thrown value converted to a string. Never returns
 * an empty string.
 */
export function errorMessageOf(error: unknown): string {
  // A thrown value may be an object that cannot be converted to a string, and a message may be of
  // any type.
  try {
    return String(error instanceof Error ? error.message || error.name : error) ||
      "no error message";
  } catch {
    return "an error that cannot be converted to a string";
  }
}

/**
 * Returns the remedy for an operation that the state of an agent does not allow, or an empty
 * string.
 */
function remedyFor(currentState: string, operation: string): string {
  if (currentState === "terminated") return "; create a new agent";
  if (operation !== "run") return "";
  if (currentState === "initializing" || currentState === "running") {
    return "; an agent runs one message at a time, so create an agent for each request";
  }
  return currentState === "paused" ? '; call "agent.resume()" first' : "";
}

/** Formats a list of names for messages. */
export function formatNames(names: readonly string[]): string {
  return names.join(", ") || "none";
}

/**
 * Creates an error. The static methods of `AgentError` call this function, because bundlers rename
 * a class that refers to itself.
 */
function make(...args: ConstructorParameters<typeof AgentError>): AgentError {
  return new AgentError(...args);
}
