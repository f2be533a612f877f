import { assertEquals, assertRejects } from "@std/assert";
import { pgBossQueue } from "../pgboss.ts";
import { CommError } from "../shared/error.ts";
import type { PgBossInstance } from "./pgboss_types.ts";

function unused(): never {
  throw new Error("not expected");
}

/** A class that stands for pg-boss, reports a value as an error, and does not start. */
function reporting(reported: Error) {
  return class {
    on(event: string, listener: (error: Error) => void): void {
      if (event === "error") listener(reported);
    }
    start = (): Promise<never> => Promise.reject(new Error("refused"));
    stop = (): Promise<void> => Promise.resolve();
    notifyWorker = unused;
    getDb = unused;
    getQueue = unused;
    createQueue = unused;
    updateQueue = unused;
    insert = unused;
    complete = unused;
    findJobs = unused;
    redrive = unused;
    work = unused;
    offWork = unused;
  } satisfies new () => PgBossInstance;
}

Deno.test("pgBossQueue() reports the errors of pg-boss as errors, also those that pg-boss has copied", async () => {
  const lost = new Error("lost");
  // For its workers, pg-boss reports plain objects, which its types do not say.
  const copy = Object.assign(Object.create(null), { message: "lost (Queue: a)" });
  const reported: unknown[] = [];
  for (const value of [lost, copy]) {
    const options = {
      PgBoss: reporting(value),
      connectionString: "postgres://127.0.0.1:1/app",
      inboxOf: () => "a",
      onError: (error: unknown) => void reported.push(error),
    };
    await assertRejects(() => pgBossQueue(options), CommError, "refused");
  }
  assertEquals(reported.map(String), ["Error: lost", "Error: pg-boss: lost (Queue: a)"]);
});
