/**
 * A durable run as an engine stores it.
 *
 * @module
 */

import type { RunFailure } from "../shared/run_failure.ts";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import type { ApprovalReason } from "../shared/output.ts";

/**
 * Status of a durable run:
 *
 * - `"queued"`: no worker has claimed the run yet. The run is new, was returned to the queue, or
 *   received a signal that it was waiting for.
 * - `"running"`: a worker is executing the run, or was executing the run when it crashed.
 * - `"waiting"`: the run waits for signals or for a scheduled time. A waiting run does not occupy a
 *   worker.
 * - `"done"`: the run has a result. A run that reached a limit is also done; see `stopReason` in
 *   the result.
 * - `"failed"`: the run has ended with an error.
 * - `"cancelled"`: the run was cancelled.
 */
export type RunStatus = "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";

/**
 * A decision, a signal or a scheduled time that a run waits for. Plain data that can be displayed
 * and stored.
 */
export type RunWait =
  | {
    /** The run waits for a decision on a tool call. */
    readonly kind: "approval";
    /** Key of the signal that contains the decision. */
    readonly key: string;
    /** Agent names, from the outermost agent to the agent that requests the approval. */
    readonly path: readonly string[];
    /** Reason why the decision is needed. */
    readonly reason: ApprovalReason;
    /** Name of the tool that the model calls. */
    readonly toolName: string;
    /**
     * Id of the tool call, unique in the conversation of the agent at the end of `path`. Absent if
     * an older version of this package stored the wait.
     */
    readonly toolCallId?: string;
    /** Input of the tool call. */
    readonly input: JsonValue;
  }
  | {
    /** A tool waits for a signal. */
    readonly kind: "signal";
    /** Key of the signal. */
    readonly key: string;
    /** Agent names, from the outermost agent to the agent that executes the tool. */
    readonly path: readonly string[];
    /** Name of the tool. */
    readonly toolName: string;
    /**
     * Id of the tool call, unique in the conversation of the agent at the end of `path`. Absent if
     * an older version of this package stored the wait.
     */
    readonly toolCallId?: string;
  }
  | {
    /** A tool waits for a scheduled time. */
    readonly kind: "time";
    /** Key that the tool passed to `ToolContext.sleep`. */
    readonly key: string;
    /** Agent names, from the outermost agent to the agent that executes the tool. */
    readonly path: readonly string[];
    /** Name of the tool. */
    readonly toolName: string;
    /**
     * Id of the tool call, unique in the conversation of the agent at the end of `path`. Absent if
     * an older version of this package stored the wait.
     */
    readonly toolCallId?: string;
    /** Time at which the tool continues, in ISO 8601 format (UTC). */
    readonly due: string;
  };

/** A run to be started. */
export interface NewRun {
  /** Id of the run. */
  readonly runId: string;
  /** Name of the agent that executes the run. */
  readonly agent: string;
  /** Version of the agent. */
  readonly version: string;
  /**
   * Message from the user, as JSON. With an earlier conversation or a budget, an object with
   * `message`, `messages` and `budget`.
   */
  readonly input: JsonValue;
  /** Party on whose behalf the run is started. Absent if the program itself starts the run. */
  readonly party?: string;
  /** Data of the program that started the run. Absent if there is none. Never changes. */
  readonly metadata?: JsonObject;
  /**
   * Earliest start time of the run, in ISO 8601 format (UTC). If omitted, the run starts
   * immediately.
   */
  readonly due?: string;
}

/** A decision or a signal that a run has received. */
export interface RunSignal {
  /** Key of the signal. The key of a decision starts with the run id and a slash. */
  readonly key: string;
  /** Value of the signal. */
  readonly value: JsonValue;
}

/** Stored state of a durable run, without its steps and signals. */
export interface RunRecord extends NewRun {
  /** Status of the run. */
  readonly status: RunStatus;
  /**
   * Number of times that the run was opened or cancelled. Only the worker with the newest epoch can
   * write.
   */
  readonly epoch: number;
  /**
   * Decisions, signals and scheduled times that the run waits for. This list is empty unless
   * `status` is `"waiting"`.
   */
  readonly waitingFor: readonly RunWait[];
  /**
   * Result of the run as JSON, for `readRunResult` and `requireRunValue`. Present if `status` is
   * `"done"`.
   */
  readonly result?: JsonValue;
  /**
   * The run's error if `status` is `"failed"`, or the last error of a run that was returned to the
   * queue.
   */
  readonly error?: RunFailure;
  /** Time at which the run was started, in ISO 8601 format (UTC). */
  readonly createdAt: string;
  /** Time of the last change to the record, in ISO 8601 format (UTC). */
  readonly updatedAt: string;
}
