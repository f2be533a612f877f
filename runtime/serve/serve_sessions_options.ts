/**
 * Options for an agent whose conversations are sessions.
 *
 * @module
 */

import { assertCount, assertFunction } from "@parley/internal/assert-argument";
import { type OptionsReader, optionsReader, required, withDefault } from "@parley/internal/options";
import type { ToolLoopAgent } from "../agent/agent.ts";
import { SESSIONS_RULES, type SessionsOptions } from "../session/sessions_options.ts";
import type { JsonObject } from "../shared/json.ts";
import type { Caller } from "./contracts.ts";

/** The run for which an agent is created. */
export interface ServedRunContext {
  /** The caller that started the run. */
  readonly caller: Caller;
  /** Id of the session, as the caller knows it. */
  readonly sessionId: string;
  /** Id of the run, as the caller knows it. */
  readonly runId: string;
  /** Data of the protocol that the run was started with. */
  readonly metadata: JsonObject;
}

/** Options for {@linkcode serveSessions}, in addition to those of the sessions. */
export interface ServeSessionsOptions extends Omit<SessionsOptions, "agent" | "maxPartyRuns"> {
  /**
   * Creates the agent for one run, for example with tools that depend on the caller. Called once
   * per run, and again when a run continues or is given up. For the same run, it must create an
   * agent with the same prompt, tools and model. The agent is terminated after the run.
   */
  readonly make: (run: ServedRunContext) => ToolLoopAgent | Promise<ToolLoopAgent>;
  /**
   * Maximum number of runs of one caller that this process executes at the same time; a positive
   * integer. All anonymous callers are one caller. Further starts are rejected with code
   * `capacity_exceeded`. `maxRuns` limits the runs of all callers.
   *
   * @default {100}
   */
  readonly maxOpenRunsPerCaller?: number;
  /**
   * Maximum number of starts that wait for the end of a run of their session, for each session; a
   * positive integer. Further starts are rejected with code `capacity_exceeded`.
   *
   * @default {10}
   */
  readonly maxQueuedStarts?: number;
}

/** Reads the options for {@linkcode serveSessions}. */
export const readServeOptions: OptionsReader<
  ServeSessionsOptions,
  Exclude<keyof ServeSessionsOptions, "make" | "storage" | "maxSessionReaders" | "onError">
> = optionsReader<ServeSessionsOptions>("options", {
  agent: "make",
  store: "storage",
  maxPartyRuns: "maxOpenRunsPerCaller",
})({
  ...SESSIONS_RULES,
  make: required(assertFunction),
  maxOpenRunsPerCaller: withDefault(100, assertCount),
  maxQueuedStarts: withDefault(10, assertCount),
});
