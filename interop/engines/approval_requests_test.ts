import { assert, assertEquals } from "@std/assert";
import pg from "pg";
import {
  APPROVALS,
  approveConcurrently,
  ChatProcess,
  requestPayment,
} from "../../runtime/stress/testdata/chat_client.ts";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { IS_FULL } from "./full_size.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const CONFIG = new URL("../deno.json", import.meta.url).pathname;
const PROGRAM = new URL("approval_server.ts", import.meta.url).pathname;
const THREADS = IS_FULL ? 40 : 4;

const TABLES = `
  create table executed (thread text not null);
  create table step (thread text, key text, entry jsonb not null, primary key (thread, key));
  create table turn (id text, n int, record jsonb not null, primary key (id, n));
`;

/** Calls a test with processes that use a new database. Asserts that each thread paid once. */
async function withProcesses(
  count: number,
  kind: string,
  test: (servers: readonly ChatProcess[], threadId: string, index: number) => Promise<void>,
): Promise<void> {
  const settings = { fsync: "off" };
  await using database = await startPostgres({ program: POSTGRES_RELEASES[18], settings });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(TABLES);
    await using processes = new AsyncDisposableStack();
    const servers: ChatProcess[] = [];
    for (let index = 0; index < count; index++) {
      const args = ["--config", CONFIG, PROGRAM, database.url, kind];
      servers.push(processes.use(await ChatProcess.start(...args)));
    }
    const threads = Array.from({ length: THREADS }, (_, index) => `t${index}`).sort();
    for (const [index, threadId] of threads.entries()) await test(servers, threadId, index);
    const { rows } = await client.query("select thread from executed order by 1");
    assertEquals(rows.map(({ thread }) => thread), threads);
  } finally {
    await client.end();
  }
}

for (const count of [1, 2]) {
  const processes = count === 1 ? "one process executes" : "two processes execute";
  const name =
    `${processes} a tool once for ${APPROVALS} concurrent requests with the same approval`;

  Deno.test(`${name}, with a journal in a table of PostgreSQL`, {
    ignore: !HAS_POSTGRES,
  }, async () => {
    await withProcesses(count, "table", async (servers, threadId, index) => {
      const starting = servers[index % count];
      assert(starting);
      const approval = await requestPayment(starting, threadId);
      await approveConcurrently(servers, { threadId, approval, isHeld: index % 2 === 0 });
      for (const server of servers) {
        const late = await server.post(threadId, approval);
        assert(late.includes('"type":"error"'), late);
      }
    });
  });

  Deno.test(`${name}, with durable runs in PostgreSQL`, { ignore: !HAS_POSTGRES }, async () => {
    await withProcesses(count, "runs", async (servers, threadId, index) => {
      const starting = servers[index % count];
      assert(starting);
      const approval = await requestPayment(starting, threadId);
      const texts = await Promise.all(
        Array.from({ length: APPROVALS }, (_, n) => servers[n % count]?.post(threadId, approval)),
      );
      const responses = texts.map((text) => JSON.parse(text ?? ""));
      for (const { result, status } of responses) {
        assertEquals([status, result.finalText], ["done", "done"]);
      }
      const outcomes = responses.map(({ outcome }) => outcome);
      assertEquals(outcomes.filter((outcome) => outcome === "stored"), ["stored"]);
      assertEquals(
        outcomes.filter((outcome) => !["stored", "present", "ended"].includes(outcome)),
        [],
      );
    });
  });
}
