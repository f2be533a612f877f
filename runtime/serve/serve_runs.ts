/**
 * Serves an agent whose runs are durable.
 *
 * @module
 */

import { assertCount, assertMethods, assertNonEmptyString } from "@parley/internal/assert-argument";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import type { Runs } from "../runs/runs.ts";
import type { ServedAgent } from "./contracts.ts";
import { ServedRuns } from "./served_runs.ts";

/** Options for {@linkcode serveRuns}. */
export interface ServeRunsOptions {
  /** Name of the agent that executes the runs, as passed to `openRuns`. */
  readonly agent: string;
  /**
   * Maximum number of starts that wait for the end of a run of their session, for each session; a
   * positive integer. Further starts are rejected with code `capacity_exceeded`.
   *
   * @default {10}
   */
  readonly maxQueuedStarts?: number;
  /**
   * Maximum number of starts of one caller that wait; a positive integer. All anonymous callers are
   * one caller.
   *
   * @default {100}
   */
  readonly maxQueuedPerCaller?: number;
  /**
   * Maximum number of starts of all callers that wait; a positive integer.
   *
   * @default {1000}
   */
  readonly maxQueued?: number;
}

const readServeRunsOptions = optionsReader<ServeRunsOptions>("options", { make: "agent" })({
  agent: required(assertNonEmptyString),
  maxQueuedStarts: withDefault(10, assertCount),
  maxQueuedPerCaller: withDefault(100, assertCount),
  maxQueued: withDefault(1000, assertCount),
});

/** Methods of `Runs` that are called. */
const METHODS = ["attach", "cancel", "get", "list", "result", "signal", "start"] as const;

/**
 * Serves an agent whose runs are durable: each caller has separate runs and sessions. The runs
 * are executed by workers, in this or any other program.
 *
 * In the engine, the id of a run is `<caller>/<id>`, with the caller as for the sessions of
 * `serveSessions`. The party of the run is the caller, so the engine limits the open runs of each
 * caller (`maxPartyRuns`), and rejects further starts with code `run_limit`. The metadata of the
 * run contains the caller, its scopes and the session: read it with {@linkcode toServedContext}
 * where the agent is created.
 *
 * Runs of one session share a conversation: a run starts with the messages and the final responses
 * of the runs before it, without their tool calls. If two processes start runs of one session at
 * the same moment, both runs can start.
 *
 * Open the runs with `storeEvents`, or their events cannot be read. A temporary run is stored as
 * any other durable run. To close, close the runs.
 *
 * @param runs Durable runs, from `openRuns`.
 * @param options Name of the agent, and limits on starts that wait.
 * @throws {TypeError} If `runs` is not a `Runs` object, or an option has the wrong type.
 * @throws {RangeError} If a limit is not a positive integer.
 *
 * @example Start a run for a caller
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryRuns, openRuns } from "@parley/runtime/runs";
 * import { serveRuns } from "@parley/runtime/serve";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const make = () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) });
 * const clerk = { version: "1", make };
 * await using runs = openRuns(memoryRuns(), { clerk }, { storeEvents: true });
 * const working = runs.work();
 * const served = serveRuns(runs, { agent: "clerk" });
 * const ann = { subject: "ann" };
 * const run = await served.start(ann, { turn: "Hi", sessionId: "chat-1" });
 * assertEquals((await run.settled()).result?.finalText, "Hello");
 * assertEquals((await served.messages(ann, "chat-1")).length, 2);
 * assertEquals(await served.get({ subject: "bob" }, run.id), undefined);
 * await runs.close();
 * await working;
 * ```
 */
export function serveRuns(runs: Runs, options: ServeRunsOptions): ServedAgent {
  assertMethods("runs", "a Runs object", runs, METHODS);
  const { agent, maxQueued, maxQueuedPerCaller, maxQueuedStarts } = readServeRunsOptions(options);
  return new ServedRuns(runs, {
    agent,
    maxQueuedStarts,
    maxOpenRunsPerCaller: maxQueuedPerCaller,
    maxRuns: maxQueued,
  });
}
