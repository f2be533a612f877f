import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { AgentError } from "../shared/error.ts";
import { pgBossRuns } from "../pgboss.ts";
import type { PgBossInstance, PgBossSettings } from "./pgboss_types.ts";
import { memoryRuns } from "./memory.ts";
import { PgBossRunQueue, queueNameOf } from "./pgboss_run_queue.ts";

const connectionString = "postgres://user:secret@127.0.0.1:1/app";

/** Creates a replacement for the `PgBoss` class that fails to start. */
function failingWith(errors: readonly Error[], stops: Error[] = []) {
  let attempt = 0;
  return class {
    start(): Promise<never> {
      const error = errors[Math.min(attempt++, errors.length - 1)] ?? new Error("none");
      stops.push(error);
      return Promise.reject(error);
    }
    stop = (): Promise<void> => Promise.resolve();
    on: (event: string, listener: (error: Error) => void) => void = () => {};
    notifyWorker = (): void => {};
    getDb = () => ({ executeSql: unused });
    createQueue: PgBossInstance["createQueue"] = unused;
    send = unused;
    findJobs = unused;
    cancel = unused;
    deleteJob = unused;
    work: PgBossInstance["work"] = unused;
    offWork: PgBossInstance["offWork"] = unused;
  } satisfies new () => PgBossInstance;
}

function unused(): never {
  throw new Error("not expected");
}

Deno.test("Agents and versions have different queues, whose names pg-boss allows", () => {
  const texts = [
    "a",
    "a.b",
    "b",
    "1",
    "1.0",
    "a/2e",
    "é",
    "A b",
    "/",
    "dead_letters",
    "..",
    "日本",
  ];
  const names = texts.flatMap((agent) => texts.map((version) => queueNameOf({ agent, version })));
  assertEquals(new Set(names).size, names.length);
  for (const name of names) assert(/^[\w.\-/]+$/.test(name) && name.includes("."), name);
  assertEquals(queueNameOf({ agent: "clerk", version: "1.2" }), "clerk.1.2");
});

Deno.test("pgBossRuns() throws at once for invalid options, and shows no password", () => {
  const PgBoss = failingWith([]);
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ PgBoss: undefined, connectionString }, "PgBoss"],
    [{ PgBoss }, "Exactly one"],
    [{ PgBoss, connectionString, db: { query: unused } }, "Exactly one"],
    [{ PgBoss, connectionString: 5 }, "connectionString"],
    [{ PgBoss, connectionString: "" }, "connectionString"],
    [{ PgBoss, db: {} }, "db"],
    ...['a"b', "A", "1a", "", "pg_runs", "a".repeat(41), "runs; drop table run", 5].map((schema) =>
      [{ PgBoss, connectionString, schema }, "schema"] as const
    ),
    [{ PgBoss, connectionString, onError: 1 }, "onError"],
  ];
  for (const [options, text] of cases) {
    const error = assertThrows(() => Reflect.apply(pgBossRuns, undefined, [options]), TypeError);
    assert(error.message.includes(text) && !error.message.includes("secret"), error.message);
  }
  for (const name of ["maxConnections", "maxDeliveries", "maxSignals", "retryDelayMs"]) {
    assertThrows(() => pgBossRuns({ PgBoss, connectionString, [name]: -1 }), RangeError, name);
  }
});

Deno.test("pgBossRuns() passes the statements of pg-boss to the database of the caller, and receives notifications on a pool", async () => {
  const settings: PgBossSettings[] = [];
  const statements: unknown[] = [];
  const query = (...statement: [string, unknown[]?]) => {
    statements.push(statement);
    return Promise.resolve({ rows: [] });
  };
  const connect = () => Promise.reject(new Error("offline"));
  for (const db of [{ query }, { query, connect, totalCount: 0 }]) {
    class PgBoss extends failingWith([new Error("stopped")]) {
      constructor(own: PgBossSettings) {
        super();
        settings.push(own);
      }
    }
    await assertRejects(() => pgBossRuns({ PgBoss, db }), AgentError, "stopped");
  }
  await settings[0]?.db?.executeSql("select $1", ["a"]);
  assertEquals(statements, [["select $1", ["a"]]]);
  assertEquals(settings.map(({ useListenNotify }) => useListenNotify), [false, true]);
  assertEquals(settings.map(({ db }) => db !== undefined && "listen" in db), [false, true]);
});

Deno.test("pgBossRuns() tries again while the database is not available, and reports each attempt", async () => {
  const refused = Object.assign(
    new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:1")]),
    {
      code: "ECONNREFUSED",
    },
  );
  const starting = Object.assign(new Error("the database system is starting up"), {
    code: "57P03",
  });
  const denied = Object.assign(new Error("password authentication failed"), { code: "28P01" });
  const starts: Error[] = [];
  const reported: string[] = [];
  const error = await assertRejects(() =>
    pgBossRuns({
      PgBoss: failingWith([refused, starting, denied], starts),
      connectionString,
      onError: (one) => reported.push(String(one)),
    }), AgentError);
  assertEquals(starts, [refused, starting, denied]);
  const prefix = "Cannot open the runs in the database: ";
  assertEquals(reported, [
    `AgentError: ${prefix}connect ECONNREFUSED 127.0.0.1:1`,
    `AgentError: ${prefix}the database system is starting up`,
  ]);
  assertEquals(error.message, `${prefix}password authentication failed`);
  assertEquals(error.cause, denied);
});

Deno.test("pgBossRuns() reports the errors of pg-boss as errors, also those that pg-boss has copied", async () => {
  const refused = new Error("password authentication failed");
  const PgBoss = class extends failingWith([refused]) {
    override on = (event: string, listener: (error: Error) => void): void => {
      if (event !== "error") return;
      listener(refused);
      // For worker failures, pg-boss reports a copy of the error that is not an `Error`, contrary
      // to its types.
      listener(Object.assign(Object.create(null), { message: "lost (Queue: a)" }));
    };
  };
  const reported: unknown[] = [];
  const onError = (error: unknown): void => void reported.push(error);
  await assertRejects(() => pgBossRuns({ PgBoss, connectionString, onError }), AgentError);
  assertEquals(reported.map(String), [
    "Error: password authentication failed",
    "Error: pg-boss: lost (Queue: a)",
  ]);
});

Deno.test("A worker that starts while the database is not available tries again until it is stopped", async () => {
  const [refused, denied] = [
    Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
    Object.assign(new Error("permission denied"), { code: "42501" }),
  ];
  for (const [failures, isStarted] of [[[refused], true], [[refused, denied], false]] as const) {
    const pending: Error[] = [...failures];
    const started: string[] = [];
    const stopped: string[] = [];
    const reported: string[] = [];
    const stopping = new AbortController();
    const boss = new class extends failingWith([]) {
      override createQueue = (): Promise<void> => {
        const failure = pending.shift();
        return failure === undefined ? Promise.resolve() : Promise.reject(failure);
      };
      override work = (name: string): Promise<string> => {
        started.push(name);
        if (name === "dead_letters") stopping.abort();
        return Promise.resolve(name);
      };
      override offWork = (name: string): Promise<void> => Promise.resolve(void stopped.push(name));
    }();
    const queue = new PgBossRunQueue(boss, memoryRuns().journal, {
      retryDelayMs: 1,
      maxRetryDelayMs: 1,
      maxDeliveries: 1,
      countQueued: () => Promise.resolve(0),
      onError: (error) => reported.push(String(error)),
    });
    const options = { concurrency: 2, signal: stopping.signal };
    const working = queue.work([{ agent: "clerk", version: "1" }], options, unused);
    if (isStarted) await working;
    else await assertRejects(() => working, Error, "permission denied");
    const names = isStarted ? ["clerk.1", "clerk.1", "dead_letters"] : [];
    assertEquals([started, stopped], [names, names]);
    assertEquals(reported, ["Error: connect ECONNREFUSED"]);
  }
});

Deno.test("pgBossRuns() stops to connect after startTimeoutMs, and when its signal is aborted", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const PgBoss = failingWith([refused]);
  const error = await assertRejects(
    () => pgBossRuns({ PgBoss, connectionString, startTimeoutMs: 0 }),
    AgentError,
    "ECONNREFUSED",
  );
  assertEquals(error.code, "core");
  const stopping = new AbortController();
  const onError = (): void => stopping.abort(new Error("stopped"));
  const { signal } = stopping;
  await assertRejects(
    () => pgBossRuns({ PgBoss, connectionString, signal, onError }),
    Error,
    "stopped",
  );
});

Deno.test("PgBossRunQueue.wake() passes the time until a delivery, not the time of the delivery", async () => {
  using time = new FakeTime(Date.UTC(2030, 0, 1));
  const delays: unknown[] = [];
  const boss = Object.assign(new (failingWith([]))(), {
    createQueue: () => Promise.resolve(),
    send: (_queue: string, _data: unknown, options: { startAfter?: unknown }) => {
      delays.push(options.startAfter);
      return Promise.resolve("id");
    },
  });
  const { journal } = memoryRuns();
  const queue = new PgBossRunQueue(boss, journal, {
    retryDelayMs: 1,
    maxRetryDelayMs: 1,
    maxDeliveries: 2,
    countQueued: () => Promise.resolve(0),
    onError: () => {},
  });
  const run = { runId: "r1", agent: "clerk", version: "1" };
  await queue.wake(run, { id: "0" });
  await queue.wake(run, { id: "1", due: new Date(time.now + 1500) });
  await queue.wake(run, { id: "2", due: new Date(time.now - 1500) });
  assertEquals(delays, [undefined, 1.5, 0]);
});
