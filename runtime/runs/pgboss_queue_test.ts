import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import { pgBossRuns } from "../pgboss.ts";
import type { PgBossInstance } from "./pgboss_types.ts";
import { queueNameOf } from "./pgboss_queue.ts";

const connectionString = "postgres://user:secret@127.0.0.1:1/app";

/** A class that stands for pg-boss and does not start. */
function failingWith(errors: readonly Error[], stops: Error[] = []) {
  let attempt = 0;
  return class {
    start(): Promise<never> {
      const error = errors[Math.min(attempt++, errors.length - 1)] ?? new Error("none");
      stops.push(error);
      return Promise.reject(error);
    }
    stop = (): Promise<void> => Promise.resolve();
    on = (): void => {};
    notifyWorker = (): void => {};
    getDb = unused;
    createQueue = unused;
    send = unused;
    findJobs = unused;
    cancel = unused;
    deleteJob = unused;
    work = unused;
    offWork = unused;
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
    [{ PgBoss, connectionString, db: { executeSql: unused } }, "Exactly one"],
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
