/**
 * The settings of runs from the options of sessions.
 *
 * @module
 */

import { createErrorReporter } from "@parley/internal/error-reporter";
import { endAgent, makeAgent } from "../agent/make_agent.ts";
import type { ActiveRunSettings } from "./active_run.ts";
import type { SessionCache } from "./session_cache.ts";
import type { readSessionsOptions } from "./sessions_options.ts";

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
