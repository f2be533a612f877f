import { sqliteStorage } from "../session/open_sqlite_storage.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import type { SessionStorage } from "../session/storage.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import type { ServedAgent } from "./contracts.ts";
import type { RunEngine } from "../runs/contracts.ts";
import { memoryRuns } from "../runs/memory.ts";
import { openRuns } from "../runs/open_runs.ts";
import { sqliteRuns } from "../sqlite.ts";
import type { RunContext } from "../shared/run_context.ts";
import { toServedContext } from "./served_durable_run.ts";
import { serveSessions } from "./serve_sessions.ts";
import { createCheckAgent } from "./testdata/check_agent.ts";
import { serveWithWorker } from "./testdata/serve_with_worker.ts";
import { SERVED_CHECKS } from "./testdata/served_checks.ts";

/** A way to serve the agent of the checks. */
type Open = (gate: Gate) => ServedAgent & AsyncDisposable;

function inSessions(open: () => SessionStorage): Open {
  return (gate) =>
    serveSessions({
      storage: open(),
      make: (run) => createCheckAgent(run, gate),
      flushMs: 0,
      drainMs: 0,
      onError: () => {},
    });
}

function inRuns(open: () => RunEngine): Open {
  return (gate) => {
    const make = (run: RunContext) => createCheckAgent(toServedContext(run), gate);
    const check = { version: "1", make };
    const options = { storeEvents: true, flushMs: 0, pollIntervalMs: 50, onError: () => {} };
    return serveWithWorker(openRuns(open(), { check }, options), "check");
  };
}

const AGENTS: Readonly<Record<string, Open>> = {
  "serveSessions(memoryStorage)": inSessions(() => memoryStorage()),
  "serveSessions(sqliteStorage)": inSessions(() => sqliteStorage(":memory:")),
  "serveRuns(memoryRuns)": inRuns(() => memoryRuns()),
  "serveRuns(sqliteRuns)": inRuns(() => sqliteRuns(":memory:")),
};

for (const [name, open] of Object.entries(AGENTS)) {
  for (const check of SERVED_CHECKS) {
    Deno.test(`${name}: ${check.name}`, async () => {
      const gate = createGate();
      await using served = open(gate);
      await check.run({ served, gate });
    });
  }
}
