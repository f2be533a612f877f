/**
 * Durable runs that are served and executed in the process of a test.
 *
 * @module
 */

import type { Runs } from "../../runs/runs.ts";
import type { ServedAgent } from "../contracts.ts";
import { serveRuns } from "../serve_runs.ts";

/** Serves an agent of durable runs, and executes its runs until the agent is disposed of. */
export function serveWithWorker(runs: Runs, agent: string): ServedAgent & AsyncDisposable {
  const working = runs.work();
  const served = serveRuns(runs, { agent });
  return {
    start: (caller, start) => served.start(caller, start),
    get: (caller, runId) => served.get(caller, runId),
    list: (caller, filter) => served.list(caller, filter),
    messages: (caller, sessionId) => served.messages(caller, sessionId),
    [Symbol.asyncDispose]: async () => {
      await runs.close();
      await working;
    },
  };
}
