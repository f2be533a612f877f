import { sqliteStorage } from "../session/open_sqlite_storage.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import type { SessionStorage } from "../session/storage.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import type { ServedAgent } from "./contracts.ts";
import { serveSessions } from "./serve_sessions.ts";
import { createCheckAgent } from "./testdata/check_agent.ts";
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

const AGENTS: Readonly<Record<string, Open>> = {
  "serveSessions(memoryStorage)": inSessions(() => memoryStorage()),
  "serveSessions(sqliteStorage)": inSessions(() => sqliteStorage(":memory:")),
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
