import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { EventEmitter } from "node:events";
import { PgListener, type PooledConnection } from "./pg_listener.ts";

/** A connection whose queries can fail or receive no response. */
class Connection extends EventEmitter implements PooledConnection {
  readonly queries: string[] = [];
  releases = 0;
  response: "ok" | "none" | "error" = "ok";

  query(text: string): Promise<{ rows: unknown[] }> {
    this.queries.push(text);
    if (this.response === "none") return new Promise(() => {});
    return this.response === "ok"
      ? Promise.resolve({ rows: [] })
      : Promise.reject(new Error("lost"));
  }

  release(isClosed: boolean): void {
    assertEquals(isClosed, true);
    this.releases++;
    this.emit("end");
  }
}

/** A pool that creates connections, or fails while `isDown` is true. */
class Pool {
  readonly connections: Connection[] = [];
  isDown = false;
  response: Connection["response"] = "ok";
  attempts = 0;

  connect(): Promise<Connection> {
    this.attempts++;
    if (this.isDown) return Promise.reject(new Error("refused"));
    const connection = new Connection();
    connection.response = this.response;
    this.connections.push(connection);
    return Promise.resolve(connection);
  }
}

/** Advances the clock, and lets the promises settle that the timers have resolved. */
async function advance(time: FakeTime, ms: number): Promise<void> {
  await time.tickAsync(ms);
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

function listen(pool: Pool) {
  const received: string[] = [];
  const losses: unknown[] = [];
  const listener = new PgListener(pool, {
    channel: "jobs",
    onPayload: (payload) => received.push(payload),
    onListen: () => received.push("connected"),
    onLoss: (error) => losses.push([error.message, error.cause]),
  });
  return { listener, received, losses };
}

Deno.test("PgListener receives notifications until it is closed", async () => {
  const pool = new Pool();
  const { listener, received } = listen(pool);
  await listener.connect();
  const [connection] = pool.connections;
  connection?.emit("notification", { payload: "queue" });
  connection?.emit("notification", {});
  connection?.emit("notification", { channel: "other", payload: "other" });
  listener.close();
  listener.close();
  connection?.emit("notification", { payload: "late" });
  assertEquals(received, ["connected", "queue"]);
  assertEquals([connection?.queries, connection?.releases], [['listen "jobs"'], 1]);
});

Deno.test("PgListener connects again with growing delays if its connection is lost", async () => {
  using time = new FakeTime();
  const pool = new Pool();
  const { listener, received } = listen(pool);
  await listener.connect();
  pool.isDown = true;
  pool.connections[0]?.emit("end");
  for (const delayMs of [1000, 2000, 4000]) await advance(time, delayMs);
  assertEquals(pool.attempts, 4);
  pool.isDown = false;
  await advance(time, 8000);
  assertEquals([pool.attempts, received], [5, ["connected", "connected"]]);
  pool.connections[1]?.emit("end");
  await advance(time, 1000);
  listener.close();
  assertEquals(pool.connections.map(({ releases }) => releases), [1, 1, 1]);
  await advance(time, 1_000_000);
  assertEquals(pool.attempts, 6);
});

Deno.test("PgListener rejects and closes its connection if the first attempt fails", async () => {
  const pool = new Pool();
  pool.response = "error";
  const { listener, received } = listen(pool);
  await assertRejects(() => listener.connect(), Error, "lost");
  pool.isDown = true;
  await assertRejects(() => listener.connect(), Error, "refused");
  assertEquals([pool.connections[0]?.releases, received], [1, []]);
});

Deno.test("PgListener connects again if a check of the connection fails or receives no response", async () => {
  using time = new FakeTime();
  const pool = new Pool();
  const { listener } = listen(pool);
  await listener.connect();
  const [first] = pool.connections;
  await advance(time, 10_000);
  await advance(time, 10_000);
  assertEquals(first?.queries, ['listen "jobs"', "select 1", "select 1"]);
  if (first !== undefined) first.response = "none";
  await advance(time, 14_999);
  assertEquals(first?.releases, 0);
  await advance(time, 1);
  assertEquals(first?.releases, 1);
  await advance(time, 1000);
  const second = pool.connections[1];
  if (second !== undefined) second.response = "error";
  await advance(time, 10_000);
  await advance(time, 1000);
  assertEquals(pool.connections.map(({ releases }) => releases), [1, 1, 0]);
  listener.close();
});

Deno.test("PgListener closes a connection that it receives after it was closed", async () => {
  const pool = new Pool();
  const { listener, received } = listen(pool);
  const connecting = listener.connect();
  listener.close();
  await connecting;
  assertEquals([pool.connections[0]?.releases, received], [1, []]);
});

Deno.test("PgListener reports a lost connection and each failed attempt to connect again", async () => {
  using time = new FakeTime();
  const pool = new Pool();
  const { listener, losses } = listen(pool);
  await listener.connect();
  const reset = new Error("reset");
  pool.isDown = true;
  pool.connections[0]?.emit("error", reset);
  pool.connections[0]?.emit("error", new Error("after the end"));
  await advance(time, 1000);
  listener.close();
  const message = 'Cannot receive notifications of "jobs"';
  assertEquals(losses[0], [message, reset]);
  assertEquals(losses.map((loss) => String(loss)), [
    `${message},Error: reset`,
    `${message},Error: refused`,
  ]);
});

Deno.test("PgListener does not wait for a LISTEN statement that receives no response", async () => {
  using time = new FakeTime();
  const pool = new Pool();
  const { listener, losses } = listen(pool);
  pool.response = "none";
  const rejected = assertRejects(() => listener.connect(), Error, "Cannot receive notifications");
  await advance(time, 5000);
  await rejected;
  pool.response = "ok";
  await listener.connect();
  pool.response = "none";
  pool.connections[1]?.emit("end");
  for (const delayMs of [1000, 5000, 2000]) await advance(time, delayMs);
  assertEquals([losses.length, pool.attempts], [2, 4]);
  listener.close();
  assertEquals(pool.connections.map(({ releases }) => releases), [1, 1, 1, 1]);
});

Deno.test("PgListener ends an attempt to connect when it is closed", async () => {
  const pool = new Pool();
  const { listener, losses } = listen(pool);
  pool.response = "none";
  const connecting = listener.connect();
  await Promise.resolve();
  await Promise.resolve();
  listener.close();
  await connecting;
  assertEquals([pool.connections[0]?.releases, losses], [1, []]);
});
