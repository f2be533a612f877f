/**
 * The settings of runs from the options of sessions, and the messages that start runs.
 *
 * @module
 */

import { createErrorReporter } from "@parley/internal/error-reporter";
import type { ToolLoopAgent } from "../agent/agent.ts";
import { endAgent, makeAgent } from "../agent/make_agent.ts";
import type { LogLimits } from "../log/log_writer.ts";
import type { ApprovalDecision } from "../loop/approval.ts";
import type { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { UserTurn } from "../shared/model.ts";
import type { RunContext } from "../shared/run_context.ts";
import type { SessionCache } from "./session_cache.ts";
import type { readSessionsOptions } from "./sessions_options.ts";
import type { SessionStorage } from "./storage.ts";

/** Settings that all runs of the sessions share. */
export interface ActiveRunSettings {
  readonly storage: SessionStorage;
  readonly cache: SessionCache;
  /** Creates the agent of a run. Rejects if the signal is aborted. */
  readonly make: (
    sessionId: string,
    run: RunContext,
    signal: AbortSignal,
  ) => Promise<ToolLoopAgent>;
  /** Terminates an agent. Never rejects. */
  readonly terminate: (agent: ToolLoopAgent | undefined) => Promise<void>;
  readonly leaseMs: number;
  readonly keepEndedMs: number;
  readonly limits: LogLimits;
  readonly partialText: "store" | "discard";
  readonly maxRecords: number;
  readonly maxChars: number;
  readonly keepRuns: number;
  readonly keepRunsMs: number;
  readonly maxTakeovers: number;
  readonly onError: (error: unknown) => void;
}

/** Message, decisions and signals that start or continue a run. */
export interface ActiveRunStart {
  /** The user's message. */
  readonly turn: UserTurn | undefined;
  /** Decisions on tool calls that wait. */
  readonly decisions?: Readonly<Record<string, ApprovalDecision>> | undefined;
  /** Values that tools wait for. */
  readonly signals?: Readonly<Record<string, JsonValue>> | undefined;
  /** Called before the run. Rejects if the run must not start. */
  readonly prepare?: (() => Promise<void>) | undefined;
}

/** Message and text of a run that is given up. */
export interface GivenUpRun {
  /** The user's message. */
  readonly turn: UserTurn | undefined;
  /** Text of the response that was interrupted, which readers have received. */
  readonly text: string;
  /** Whether the readers of the run receive its end. */
  readonly isReadable: boolean;
  /** Why the run has failed. If omitted, the session continues with another message. */
  readonly error?: AgentError | undefined;
}

/** Returns the settings that all runs of the sessions share. */
export function toRunSettings(
  options: ReturnType<typeof readSessionsOptions>,
  cache: SessionCache,
): ActiveRunSettings {
  const { agent, agentTimeoutMs, flushMs, leaseMs, maxRunChars, maxRunEvents } = options;
  const onError = createErrorReporter("openSessions", options.onError);
  const limits = { timeoutMs: agentTimeoutMs, onError };
  return {
    ...options,
    cache,
    make: (sessionId, run, signal) =>
      makeAgent({ name: "agent", make: () => agent(sessionId, run) }, limits, signal),
    terminate: (made) => endAgent(made, limits),
    limits: { flushMs, maxEvents: maxRunEvents, maxChars: maxRunChars, retryMs: leaseMs },
    onError,
  };
}
