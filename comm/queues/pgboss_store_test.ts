import { assertEquals, assertRejects } from "@std/assert";
import { pgBossQueue } from "../pgboss.ts";
import { CommError } from "../shared/error.ts";
import { createMessage } from "../testdata/messages.ts";
import { StartedBoss } from "../testdata/pgboss.ts";
import type { PgBossInstance, PgBossSettings } from "./pgboss_types.ts";

function unused(): never {
  throw new Error("not expected");
}

/**
 * Returns a substitute for the `PgBoss` class that reports the given value as an error and does not
 * start.
 */
function reporting(reported: Error) {
  return class extends StartedBoss {
    override on(event: string, listener: (error: Error) => void): void {
      if (event === "error") listener(reported);
    }
    override start = (): Promise<never> => Promise.reject(new Error("refused"));
  };
}

const OPTIONS = { connectionString: "postgres://127.0.0.1:1/app", inboxOf: () => "a" };

Deno.test("pgBossQueue() reports the errors of pg-boss as errors, including copied errors", async () => {
  const lost = new Error("lost");
  // For worker failures, pg-boss reports plain objects, although its types declare `Error`.
  const copy = Object.assign(Object.create(null), { message: "lost (Queue: a)" });
  const reported: unknown[] = [];
  for (const value of [lost, copy]) {
    const options = {
      ...OPTIONS,
      PgBoss: reporting(value),
      onError: (error: unknown) => void reported.push(error),
    };
    await assertRejects(() => pgBossQueue(options), CommError, "refused");
  }
  assertEquals(reported.map(String), ["Error: lost", "Error: pg-boss: lost (Queue: a)"]);
});

Deno.test("a signal stops send() in a transaction, deadLetters(), redrive() and consume() while the database does not respond", async () => {
  class Unresponsive extends StartedBoss {
    override createQueue = (): Promise<void> => new Promise(() => {});
  }
  await using queue = await pgBossQueue({ ...OPTIONS, PgBoss: Unresponsive });
  const reason = new Error("the caller aborted the operation");
  const aborting = new AbortController();
  const options = { tx: { query: unused }, signal: aborting.signal };
  const sending = assertRejects(() => queue.send(createMessage(1), options), Error);
  aborting.abort(reason);
  assertEquals(await sending, reason);
  const reading = new AbortController();
  const read = assertRejects(() => queue.deadLetters("a", { signal: reading.signal }), Error);
  const redriven = assertRejects(() => queue.redrive("a", { signal: reading.signal }), Error);
  reading.abort(reason);
  assertEquals([await read, await redriven], [reason, reason]);
  const stopping = new AbortController();
  const consuming = queue.consume("a", () => {}, { signal: stopping.signal });
  stopping.abort();
  await consuming;
});

Deno.test("send() in a transaction passes the statements of pg-boss to the transaction", async () => {
  class Accepting extends StartedBoss {
    override createQueue = (): Promise<void> => Promise.resolve();
    override updateQueue = (): Promise<void> => Promise.resolve();
    override getQueue: PgBossInstance["getQueue"] = () => Promise.resolve({ policy: "standard" });
    override insert: PgBossInstance["insert"] = (_name, jobs, options) =>
      options?.db?.executeSql("insert into job values ($1)", [jobs.length]) ?? unused();
  }
  await using queue = await pgBossQueue({ ...OPTIONS, PgBoss: Accepting });
  const statements: unknown[] = [];
  const tx = {
    query: (...statement: [string, unknown[]?]) => {
      statements.push(statement);
      return Promise.resolve({ rows: [] });
    },
  };
  await queue.send(createMessage(1), { tx });
  assertEquals(statements, [["insert into job values ($1)", [1]]]);
  // @ts-expect-error a transaction has the method query
  await assertRejects(() => queue.send(createMessage(1), { tx: {} }), TypeError, '"tx" must be');
});

Deno.test("pgBossQueue() uses the pool of the caller, whose size limits transactional consumers", async () => {
  const settings: unknown[] = [];
  class Recording extends StartedBoss {
    constructor({ connectionString, db }: PgBossSettings) {
      super();
      settings.push([connectionString, Object.keys(db ?? {}).sort()]);
    }
  }
  const pool = {
    query: unused,
    connect: unused,
    totalCount: 0,
    options: { max: 5 },
  };
  const { connectionString, ...options } = OPTIONS;
  await using queue = await pgBossQueue({ ...options, PgBoss: Recording, db: pool });
  assertEquals(settings, [[undefined, ["beginTransaction", "executeSql", "listen"]]]);
  const tooMany = { transactional: true, concurrency: 3 };
  await assertRejects(() => queue.consume("a", () => {}, tooMany), RangeError, "must be at most 2");
  const PgBoss = StartedBoss;
  for (const both of [{}, { connectionString, db: pool }]) {
    await assertRejects(
      () => pgBossQueue({ ...options, ...both, PgBoss }),
      TypeError,
      "Exactly one",
    );
  }
  const db = { query: unused };
  await assertRejects(
    () => pgBossQueue({ ...options, PgBoss, db }),
    TypeError,
    '"db" must be a Pool',
  );
});
