import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { fromPg, type PgConnection, type PgPool } from "./sql_client.ts";

/** A pool whose connection fails when the test calls `lose`. */
function createPool(): PgPool & { lose: (error: Error) => void } {
  const pool = {
    lose: (_error: Error): void => {},
    query: () => Promise.resolve({ rows: [] }),
    connect: (): Promise<PgConnection> =>
      Promise.resolve({
        query: () => Promise.resolve(),
        on: (event: string, listener: (value: never) => void) => {
          if (event === "error") pool.lose = (error) => Reflect.apply(listener, undefined, [error]);
        },
        release: () => {},
      }),
  };
  return pool;
}

Deno.test("fromPg() waits no longer than the longest delay of a timer before it reconnects", async () => {
  using timers = stub(globalThis, "setTimeout", () => JSON.parse("0"));
  for (const retryMs of [5, 2 ** 31, Infinity]) {
    const pool = createPool();
    const close = await fromPg(pool, { retryMs, onError: () => {} }).listen("news", () => {});
    pool.lose(new Error("lost"));
    await close();
  }
  assertEquals(timers.calls.map(({ args }) => args[1]), [5, 2 ** 31 - 1, 2 ** 31 - 1]);
});
