/**
 * The one error class of this package.
 *
 * Callers branch on `code`; messages are for people. Wrong arguments are a `TypeError` or `RangeError` instead.
 *
 * @module
 */

import { defined, isRecord } from "./json.ts";
import type { PartialLoopOutput, WorkflowResult } from "./output.ts";

/** The codes of {@linkcode AgentError}: each is the snake_case form of its constructor's name. */
export const AgentErrorCode = {
  /** A run reached its iteration limit, and the caller asked for an error. */
  MaxIterationsExceeded: "max_iterations_exceeded",
  /** There is no tool of that name. */
  ToolNotFound: "tool_not_found",
  /** A tool failed, and the caller asked for an error. */
  ToolExecutionFailed: "tool_execution_failed",
  /** The model failed. */
  ModelError: "model_error",
  /** A step of a workflow failed. */
  WorkflowFailed: "workflow_failed",
  /** A sub-agent could not be created or did not finish. */
  DelegationFailed: "delegation_failed",
  /** The agent's state does not permit the operation. */
  InvalidState: "invalid_state",
  /** A channel is full or closed. */
  ChannelError: "channel_error",
  /** Anything else. */
  Core: "core",
} as const;

/** One of the values of {@linkcode AgentErrorCode}. */
export type AgentErrorCodeType = typeof AgentErrorCode[keyof typeof AgentErrorCode];

/** The parameters of each constructor, by code. */
export interface AgentErrorDetails {
  /** Of `maxIterationsExceeded`. */
  readonly max_iterations_exceeded: {
    /** The limit. */
    readonly maxIterations: number;
    /** The tools that the last iteration called, in call order, duplicates kept. */
    readonly lastToolNames: readonly string[];
  };
  /** Of `toolNotFound`. */
  readonly tool_not_found: {
    /** The name asked for. */
    readonly toolName: string;
    /** The names there are. */
    readonly available: readonly string[];
  };
  /** Of `toolExecutionFailed`. */
  readonly tool_execution_failed: {
    /** The tool. */
    readonly toolName: string;
    /** What went wrong. */
    readonly reason: string;
  };
  /** Of `modelError`. */
  readonly model_error: {
    /** What went wrong. */
    readonly reason: string;
    /** The HTTP status, if there was one. */
    readonly status?: number;
  };
  /** Of `workflowFailed`. */
  readonly workflow_failed: {
    /** The workflow. */
    readonly workflowId: string;
    /** The 0-based step that failed; -1 when no step had begun. */
    readonly stepIndex: number;
    /** What went wrong. */
    readonly reason: string;
  };
  /** Of `delegationFailed`. */
  readonly delegation_failed: {
    /** The parent's DID, or its name if it has none. */
    readonly parentDid: string;
    /** What went wrong. */
    readonly reason: string;
  };
  /** Of `invalidState`. */
  readonly invalid_state: {
    /** The state the agent is in. */
    readonly currentState: string;
    /** The state it would have to be in. */
    readonly requiredState: string;
    /** What was asked of it. */
    readonly operation: string;
  };
  /** Of `channelError`. */
  readonly channel_error: {
    /** What went wrong. */
    readonly reason: string;
  };
  /** Of `core`. */
  readonly core: {
    /** What went wrong. */
    readonly cause: string;
  };
}

/** What an error may carry beside its parameters. */
export interface AgentErrorOptions extends ErrorOptions {
  /** What the run came to before it failed; its `messages` are valid to go on from. */
  readonly partialOutput?: PartialLoopOutput;
  /** What the workflow came to before it failed. */
  readonly partialResult?: WorkflowResult;
}

/** What a model error may carry beside its reason. */
export interface ModelErrorOptions extends AgentErrorOptions {
  /** Whether the same call may succeed later. Default: false. */
  readonly retryable?: boolean;
  /** How long to wait before the next try, in milliseconds, if the provider says. */
  readonly retryAfterMs?: number;
  /** The HTTP status, if there was one. */
  readonly status?: number;
}

// A registered symbol, so that two copies of this package (JSR and npm) recognize each other's errors.
const BRAND = Symbol.for("parley.AgentError");

/**
 * What this package throws. Made by its named constructors.
 *
 * @example Branch on the code
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
  /** What kind of error it is. */
  declare readonly code: AgentErrorCodeType;
  /** The parameters of the constructor. */
  declare readonly details: AgentErrorDetails[AgentErrorCodeType];
  /** What the run came to before it failed. */
  declare readonly partialOutput?: PartialLoopOutput;
  /** What the workflow came to before it failed. */
  declare readonly partialResult?: WorkflowResult;
  /** Whether the same model call may succeed later. */
  readonly retryable: boolean = false;
  /** How long to wait before the next try, in milliseconds, if the provider says. */
  declare readonly retryAfterMs?: number;

  /**
   * Makes an error; use the named constructors instead.
   *
   * @param code what kind of error it is
   * @param message what to tell people
   * @param details the parameters of the named constructor
   * @param options what it carries
   */
  constructor(
    code: AgentErrorCodeType,
    message: string,
    details: AgentErrorDetails[AgentErrorCodeType],
    options: AgentErrorOptions = {},
  ) {
    super(message, options);
    Object.assign(this, defined(options), { code, details: Object.freeze(details) });
    Object.defineProperty(this, BRAND, { value: true });
  }

  /**
   * A run reached its iteration limit.
   *
   * @param maxIterations the limit
   * @param lastToolNames the tools that the last iteration called
   * @param options what it carries
   */
  static maxIterationsExceeded(
    maxIterations: number,
    lastToolNames: readonly string[],
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "max_iterations_exceeded",
      `Cannot finish within ${maxIterations} iterations: the last one called ${
        formatNames(lastToolNames)
      }`,
      { maxIterations, lastToolNames },
      options,
    );
  }

  /**
   * There is no tool of that name.
   *
   * @param toolName the name asked for
   * @param available the names there are
   * @param options what it carries
   */
  static toolNotFound(
    toolName: string,
    available: readonly string[],
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "tool_not_found",
      `Cannot find tool "${toolName}": there are ${formatNames(available)}`,
      { toolName, available },
      options,
    );
  }

  /**
   * A tool failed.
   *
   * @param toolName the tool
   * @param reason what went wrong
   * @param options what it carries
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
   * The model failed.
   *
   * @param reason what went wrong
   * @param options what it carries, and whether and when to try again
   */
  static modelError(reason: string, { status, ...options }: ModelErrorOptions = {}): AgentError {
    return make(
      "model_error",
      `Cannot get an answer from the model: ${reason}`,
      defined({ reason, status }),
      options,
    );
  }

  /**
   * A step of a workflow failed.
   *
   * @param workflowId the workflow
   * @param stepIndex the 0-based step; -1 when no step had begun
   * @param reason what went wrong
   * @param options what it carries
   */
  static workflowFailed(
    workflowId: string,
    stepIndex: number,
    reason: string,
    options?: AgentErrorOptions,
  ): AgentError {
    return make(
      "workflow_failed",
      `Cannot finish workflow "${workflowId}": step ${stepIndex}: ${reason}`,
      { workflowId, stepIndex, reason },
      options,
    );
  }

  /**
   * A sub-agent could not be created or did not finish.
   *
   * @param parentDid the parent's DID, or its name if it has none
   * @param reason what went wrong
   * @param options what it carries
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
   * The agent's state does not permit the operation.
   *
   * @param currentState the state it is in
   * @param requiredState the state it would have to be in
   * @param operation what was asked of it
   */
  static invalidState(currentState: string, requiredState: string, operation: string): AgentError {
    return make(
      "invalid_state",
      `Cannot ${operation}: the agent is ${currentState}, not ${requiredState}`,
      { currentState, requiredState, operation },
    );
  }

  /**
   * A channel is full or closed.
   *
   * @param reason what went wrong
   * @param options what it carries
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
   * Anything else.
   *
   * @param cause what went wrong, as a whole sentence
   * @param options what it carries
   */
  static core(cause: string, options?: AgentErrorOptions): AgentError {
    return make("core", cause, { cause }, options);
  }

  /**
   * Says whether a caught value is an error of this package, also one of another copy of it.
   *
   * @param value anything
   */
  static isAgentError(value: unknown): value is AgentError {
    return isRecord(value) && BRAND in value;
  }

  /**
   * The same error with what the run came to.
   *
   * @param partialOutput what the run came to
   */
  withPartialOutput(partialOutput: PartialLoopOutput): AgentError {
    const { code, message, details, cause, stack } = this;
    const copy = make(code, message, details, defined({ ...this, cause, partialOutput }));
    return Object.assign(copy, { stack });
  }

  /**
   * Says whether the error has this code, and narrows `details`.
   *
   * @param code the code
   */
  is<Code extends AgentErrorCodeType>(
    code: Code,
  ): this is AgentError & { readonly code: Code; readonly details: AgentErrorDetails[Code] } {
    return this.code === code;
  }

  /** Says whether the iteration limit was reached. */
  isMaxIterationsExceeded(): boolean {
    return this.code === "max_iterations_exceeded";
  }

  /** Says whether a tool was not found. */
  isToolNotFound(): boolean {
    return this.code === "tool_not_found";
  }

  /** Says whether a workflow failed. */
  isWorkflowFailed(): boolean {
    return this.code === "workflow_failed";
  }

  /** Says whether a delegation failed. */
  isDelegationFailed(): boolean {
    return this.code === "delegation_failed";
  }

  /** The error as plain data: code, message and details. */
  toJSON(): {
    code: AgentErrorCodeType;
    message: string;
    details: AgentErrorDetails[AgentErrorCodeType];
  } {
    const { code, message, details } = this;
    return { code, message, details };
  }
}

/** Returns the message of a caught value: of an error its message, otherwise the value as text. Never empty. */
export function errorMessageOf(error: unknown): string {
  // What was thrown may be anything, also something that cannot be printed, and an error path must not fail.
  try {
    const text = error instanceof Error ? error.message || error.name : String(error);
    return text || "no reason given";
  } catch {
    return "an unprintable value";
  }
}

/** Names, as they are told to people and models. */
export function formatNames(names: readonly string[]): string {
  return names.join(", ") || "none";
}

/** Outside of the class: a class that names itself gets another name from bundlers. */
function make(...args: ConstructorParameters<typeof AgentError>): AgentError {
  return new AgentError(...args);
}
