import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
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

Deno.test("fromPg() ends a listener while an attempt to connect never ends, and releases a late connection", async () => {
  using time = new FakeTime();
  const pool = createPool();
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push(String(error));
  const close = await fromPg(pool, { retryMs: 5, onError }).listen("news", () => {});
  const late = Promise.withResolvers<PgConnection>();
  const { connect } = pool;
  pool.connect = () => late.promise;
  pool.lose(new Error("lost"));
  await time.tickAsync(5);
  const closed = close();
  await time.tickAsync(1000);
  await closed;
  const released: unknown[] = [];
  const connection = await connect();
  late.resolve({ ...connection, release: (destroy) => released.push(destroy) });
  await time.tickAsync(0);
  assertEquals(released, [true]);
});

Deno.test("fromPg() ends a listener whose LISTEN statement never returns", async () => {
  using time = new FakeTime();
  const pool = createPool();
  const close = await fromPg(pool, { retryMs: 5, onError: () => {} }).listen("news", () => {});
  const { connect } = pool;
  const released: unknown[] = [];
  pool.connect = async () => ({
    ...await connect(),
    query: () => new Promise(() => {}),
    release: (destroy) => released.push(destroy),
  });
  pool.lose(new Error("lost"));
  await time.tickAsync(5);
  const closed = close();
  await time.tickAsync(1000);
  await closed;
  assertEquals(released, [true]);
});
