import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentCommMessage, CommError } from "@parley/comm";
import { pgBossQueue, type PgBossQueueOptions, type SqlClient } from "@parley/comm/pgboss";
import { PostgresReplayStore, type PostgresReplayStoreOptions } from "@parley/comm/postgres";
import { type MessageQueue, Reject } from "@parley/comm/queues";
import { queueChecks, replayStoreChecks } from "@parley/comm/testing";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const ANN = "did:web:ann.example";

function messageOf(payload: string | number): AgentCommMessage {
  return new AgentCommMessage({
    sender: ANN,
    recipient: "did:web:bob.example",
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload,
  });
}

/** A server, a connection to its database, and a new inbox. */
interface Setup {
  readonly server: Postgres;
  readonly client: pg.Client;
  readonly db: SqlClient;
  readonly inbox: string;
  open(options?: Partial<PgBossQueueOptions>): Promise<MessageQueue<SqlClient>>;
}

type Check = (setup: Setup) => Promise<void>;

const CHECKS: Readonly<Record<string, Check>> = {
  async "stores a message if and only if the caller's transaction is committed"(setup) {
    const { open, client, db, inbox } = setup;
    await using queue = await open();
    for (const [payload, end] of [["rolled back", "rollback"], ["committed", "commit"]] as const) {
      await client.query("begin");
      await queue.send(messageOf(payload), { tx: db });
      await client.query(end);
    }
    assertEquals(await payloadsOf(queue, inbox, 1), ["committed"]);
  },
  async "acknowledges a message in the handler's transaction"({ open, client, inbox }) {
    const errors: unknown[] = [];
    await using queue = await open({ onError: (error) => errors.push(error), maxAttempts: 2 });
    await client.query("drop table if exists task; create table task (name text)");
    await queue.send(messageOf("report"));
    await queue.send(messageOf("poison"));
    const stopping = new AbortController();
    let [attempts, count] = [0, 0];
    await queue.consume(inbox, async ({ message, tx, attempt }) => {
      await tx?.query("insert into task (name) values ($1)", [String(message.payload)]);
      if (++count === 3) stopping.abort();
      if (message.payload === "poison") throw new Reject("poison");
      attempts = attempt;
      if (attempt === 1) throw new Error("the attempt fails");
    }, { transactional: true, signal: stopping.signal });
    const { rows } = await client.query("select name from task");
    assertEquals([rows, attempts], [[{ name: "report" }], 2]);
    const letters = await queue.deadLetters(inbox);
    assertEquals(letters.map(({ reason }) => reason), ["poison"]);
    assertEquals(errors.map(String).sort(), ["Error: the attempt fails", "Reject: poison"]);
  },
  async "rolls back a transaction that failed in the handler"({ open, inbox }) {
    const errors: unknown[] = [];
    await using queue = await open({ onError: (error) => errors.push(error) });
    await queue.send(messageOf("report"));
    const stopping = new AbortController();
    await queue.consume(inbox, async ({ tx, attempt }) => {
      if (attempt === 2) return stopping.abort();
      await tx?.query("select no_such_column").catch(() => {});
    }, { transactional: true, signal: stopping.signal });
    assertEquals(errors.length, 1);
    assertEquals(await queue.deadLetters(inbox), []);
  },
  async "turns stored data that is not a message into a dead letter"({ open, client, inbox }) {
    await using queue = await open();
    await queue.send(messageOf("a"));
    await queue.send(messageOf("b"));
    await queue.send(messageOf("c"));
    await client.query(
      `update pgboss.job set data = case data->>'json' like '%"payload":"a"%'
        when true then '{"json":"{}"}'::jsonb else '[17]'::jsonb end
      where name = $1 and data->>'json' not like '%"payload":"c"%'`,
      [`inbox.${inbox}`],
    );
    assertEquals(await payloadsOf(queue, inbox, 1), ["c"]);
    const letters = await queue.deadLetters(inbox);
    assertEquals(letters.map(({ message }) => message), [undefined, undefined]);
    assertEquals(letters.map(({ reason }) => reason.slice(0, 21)).sort(), [
      "Cannot accept message",
      "stored message must b",
    ]);
  },
  async "rejects an inbox whose ordering differs from that in the database"({ open, inbox }) {
    await using queue = await open();
    await queue.send(messageOf(1));
    await using ordered = await open({ orderedInboxes: [inbox] });
    const error = await assertRejects(() => ordered.send(messageOf(2)), CommError);
    assertEquals(error.code, "send_failed");
    assert(error.message.includes(`in which inbox "${inbox}" is not ordered`), error.message);
  },
  async "rejects more inboxes than the maximum"({ open, inbox }) {
    let name = inbox;
    await using queue = await open({ inboxOf: () => name, maxInboxes: 1 });
    await queue.send(messageOf(1));
    name = `${inbox}-2`;
    const error = await assertRejects(() => queue.send(messageOf(2)), CommError);
    assertEquals(error.code, "capacity_exceeded");
    name = inbox;
    await queue.send(messageOf(3));
  },
  async "rejects messages that exceed the limits on pending messages"({ open, inbox }) {
    await using queue = await open({ maxPendingMessages: 2 });
    const results = await Promise.allSettled([1, 2, 3].map((each) => queue.send(messageOf(each))));
    assertEquals(results.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected"]);
    assertEquals((await payloadsOf(queue, inbox, 2)).sort(), [1, 2]);
    const size = "x".repeat(600);
    await using small = await open({ maxPendingBytes: 1500 });
    const sends = [small.send(messageOf(`${size}1`)), small.send(messageOf(`${size}2`))];
    assertEquals((await Promise.allSettled(sends)).map(({ status }) => status), [
      "fulfilled",
      "rejected",
    ]);
  },
  async "sends and receives after the database was restarted"({ open, server, inbox }) {
    await using queue = await open();
    await queue.send(messageOf("before"));
    await server.kill();
    const error = await assertRejects(() => queue.send(messageOf("during")), CommError);
    assertEquals(error.code, "send_failed");
    await server.restart();
    await queue.send(messageOf("after"));
    assertEquals(await payloadsOf(queue, inbox, 2), ["before", "after"]);
  },
  async "rejects if the database cannot be reached"({ open }) {
    const connectionString = "postgres://nobody:x@127.0.0.1:1/none";
    const error = await assertRejects(() => open({ connectionString }), CommError);
    assertEquals(error.code, "receive_failed");
    assert(error.message.includes("cannot open the queue"), error.message);
  },
  async "rejects invalid options"({ open, inbox }) {
    for (const options of [{ schema: "a-b" }, { schema: "A" }, { PgBoss: undefined as never }]) {
      await assertRejects(() => open(options), TypeError);
    }
    for (
      const options of [
        { maxConnections: 0 },
        { maxInboxes: 0 },
        { batchSize: 0 },
        { maxPendingMessages: 0 },
        { maxPendingBytes: 0 },
        { retentionMs: 0 },
        { deduplicationMs: 0 },
        { handlerTimeoutMs: 90_000_000 },
      ]
    ) await assertRejects(() => open(options), RangeError, `"${Object.keys(options)[0]}"`);
    await using queue = await open({ maxConnections: 4 });
    const tooMany = { transactional: true, concurrency: 3 };
    await assertRejects(() => queue.consume(inbox, () => {}, tooMany), RangeError, "concurrency");
    // @ts-expect-error a transaction has the method query
    await assertRejects(() => queue.send(messageOf(1), { tx: {} }), TypeError, '"tx"');
  },
  async "PostgresReplayStore passes the checks of replay stores"({ db }) {
    for (const check of replayStoreChecks) await check.run((limits) => storeOf(db, limits));
  },
  async "PostgresReplayStore admits a pair of sender and id once across all stores with the same table"(
    { db },
  ) {
    const [one, two] = [await storeOf(db), await storeOf(db)];
    const untilMs = Date.now() + 60_000;
    const results = await Promise.all(
      [one, two, one, two].map((each) => each.begin(ANN, "1", untilMs)),
    );
    assertEquals(results.filter((result) => result === true).length, 1);
    assertEquals(results.filter((result) => result === "reserved").length, 3);
    assertEquals(await two.begin("did:web:ben.example", "1", untilMs), true);
    await one.commit(ANN, "1");
    await one.abort(ANN, "1");
    assertEquals(await two.begin(ANN, "1", untilMs), false);
  },
  async "PostgresReplayStore releases only its own reservations"({ db }) {
    const [one, two] = [await storeOf(db), await storeOf(db)];
    const untilMs = Date.now() + 60_000;
    assertEquals(await one.begin(ANN, "2", untilMs), true);
    await two.abort(ANN, "2");
    assertEquals(await two.begin(ANN, "2", untilMs), "reserved");
    await one.abort(ANN, "2");
    assertEquals(await two.begin(ANN, "2", untilMs), true);
  },
  async "PostgresReplayStore keeps reservations for reservationMs, and entries until the given time"(
    { db, client },
  ) {
    const store = await storeOf(db, { reservationMs: 5000 });
    const leftSeconds = async (): Promise<number> => {
      const sql =
        "select extract(epoch from expires_at - now())::float8 as left from parley_replay";
      const { rows: [row] } = await client.query(`${sql} order by expires_at desc limit 1`);
      return row.left;
    };
    await client.query("delete from parley_replay");
    assertEquals(await store.begin(ANN, "3", Date.now() + 60_000), true);
    assert(await leftSeconds() <= 5);
    await store.commit(ANN, "3");
    const left = await leftSeconds();
    assert(left > 5 && left <= 60, String(left));
  },
  async "PostgresReplayStore replaces entries and reservations that have expired"({ db, client }) {
    const store = await storeOf(db);
    const untilMs = Date.now() + 60_000;
    for (const isCommitted of [false, true]) {
      assertEquals(await store.begin(ANN, "4", untilMs), true);
      if (isCommitted) await store.commit(ANN, "4");
      assertEquals(await store.begin(ANN, "4", untilMs), isCommitted ? false : "reserved");
      await expire(client, "parley_replay");
    }
    assertEquals(await store.begin(ANN, "4", untilMs), true);
  },
  async "PostgresReplayStore deletes expired entries and rejects new entries at its limit"(
    { db, client },
  ) {
    let nowMs = Date.now();
    const store = await storeOf(db, {
      table: "small_replay",
      maxEntries: 2,
      maxSharePerSender: 1,
      now: () => nowMs,
    });
    await store.begin(ANN, "expired", nowMs + 600_000);
    await expire(client, "small_replay");
    for (const id of ["5", "6"]) {
      await store.begin(ANN, id, nowMs + 600_000);
      await store.commit(ANN, id);
    }
    nowMs += 60_000;
    assertEquals(await store.begin(ANN, "7", nowMs + 600_000), "full");
    const { rows } = await client.query("select count(*)::int as count from small_replay");
    assertEquals(rows, [{ count: 2 }]);
  },
  async "PostgresReplayStore tracks a message only if its transaction is committed"(setup) {
    const { db, client } = setup;
    const store = await storeOf(db);
    const untilMs = Date.now() + 60_000;
    for (const [end, result] of [["rollback", true], ["commit", false]] as const) {
      await client.query("begin");
      const inTransaction = store.inTransaction(db);
      assertEquals(await inTransaction.begin(ANN, "8", untilMs), true);
      await inTransaction.commit(ANN, "8");
      await client.query(end);
      assertEquals(await store.begin(ANN, "8", untilMs), result);
      await store.abort(ANN, "8");
    }
  },
  async "PostgresReplayStore rejects invalid options"({ db }) {
    await assertRejects(() => storeOf({} as never), TypeError, '"db"');
    await assertRejects(() => storeOf(db, { table: "a; drop table b" }), TypeError, '"table"');
    for (const name of ["ttlMs", "reservationMs", "maxEntries"] as const) {
      await assertRejects(() => storeOf(db, { [name]: 0 }), RangeError, `"${name}"`);
    }
  },
};

/** Checks that also run with a pool instead of a connection string. */
const CHECKS_WITH_POOL = [
  "stores a message if and only if the caller's transaction is committed",
  "acknowledges a message in the handler's transaction",
  "rolls back a transaction that failed in the handler",
  "turns stored data that is not a message into a dead letter",
  "sends and receives after the database was restarted",
];

function fail(): never {
  throw new Error("there is no such check");
}

async function storeOf(
  db: SqlClient,
  options: Partial<PostgresReplayStoreOptions> = {},
): Promise<PostgresReplayStore> {
  const store = new PostgresReplayStore({ db, ...options });
  await store.createTable();
  return store;
}

/** Expires the entries of a replay store by changing their expiration times. */
async function expire(client: pg.Client, table: string): Promise<void> {
  await client.query(`update ${table} set expires_at = now() - interval '1 second'`);
}

/** Consumes the given number of messages and returns their payloads. */
async function payloadsOf(
  queue: MessageQueue<SqlClient>,
  inbox: string,
  count: number,
): Promise<unknown[]> {
  const payloads: unknown[] = [];
  const stopping = new AbortController();
  await queue.consume(inbox, ({ message }) => {
    payloads.push(message.payload);
    if (payloads.length === count) stopping.abort();
  }, { concurrency: 1, signal: stopping.signal });
  return payloads;
}

Deno.test("pgBossQueue() and PostgresReplayStore keep their promises", {
  ignore: !HAS_POSTGRES,
}, async (t) => {
  await using server = await startPostgres({
    program: POSTGRES_RELEASES[18],
    settings: { fsync: "off" },
  });
  const connectionString = server.url;
  for (const check of queueChecks) {
    await t.step(
      `pgBossQueue() ${check.name}`,
      () => check.run((options) => pgBossQueue({ ...options, PgBoss, connectionString })),
    );
  }
  const pool = new pg.Pool({ connectionString, max: 12 });
  pool.on("error", () => {});
  for (const check of queueChecks) {
    await t.step(
      `pgBossQueue() with a pool ${check.name}`,
      () => check.run((options) => pgBossQueue({ ...options, PgBoss, db: pool })),
    );
  }
  const steps = [
    ...Object.entries(CHECKS).map(([name, check]) => ({ name, check, from: { connectionString } })),
    ...CHECKS_WITH_POOL.map((name) => ({
      name: `with a pool: ${name}`,
      check: CHECKS[name] ?? fail,
      from: { db: pool },
    })),
  ];
  for (const { check, from, name } of steps) {
    await t.step(name, async () => {
      const client = new pg.Client({ connectionString });
      client.on("error", () => {});
      await client.connect();
      const inbox = crypto.randomUUID();
      try {
        const open = (options: Partial<PgBossQueueOptions> = {}) =>
          pgBossQueue({
            PgBoss,
            inboxOf: () => inbox,
            retryDelayMs: 1,
            maxRetryDelayMs: 1,
            onError: () => {},
            ...options.connectionString === undefined ? from : {},
            ...options,
          });
        await check({ server, client, db: client, inbox, open });
      } finally {
        await client.end();
      }
    });
  }
  await pool.query("select 1");
  await pool.end();
});
