/**
 * The settings of runs from the options of sessions.
 *
 * @module
 */

import { createErrorReporter } from "@parley/internal/error-reporter";
import type { ToolLoopAgent } from "../agent/agent.ts";
import { endAgent, makeAgent } from "../agent/make_agent.ts";
import type { LogLimits } from "../log/log_writer.ts";
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
