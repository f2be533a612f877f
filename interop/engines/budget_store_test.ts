/** Tests the store of budgets in PostgreSQL, with the drivers `postgres` and `pg`. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { fromPostgres, postgresBudgetStore, type SqlClient } from "@parley/runtime/postgres";
import { budgetStoreChecks } from "@parley/runtime/testing";
import pg from "pg";
import postgres from "postgres";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { IS_FULL } from "./full_size.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const ignore = !HAS_POSTGRES;
const WORKER = new URL("budget_worker.ts", import.meta.url).pathname;
const PROCESSES = 4;
const KILLS = IS_FULL ? 40 : 9;
/** More tokens than the processes that are killed can use. */
const LIMIT = 600 * KILLS;

/** A connected client. The type check verifies that the drivers can be passed to the store. */
interface Driver extends AsyncDisposable {
  readonly client: SqlClient;
}

function connectWithPostgres(url: string): Driver {
  const sql = postgres(url, { onnotice: () => {}, max: 4 });
  return { client: fromPostgres(sql), [Symbol.asyncDispose]: () => sql.end() };
}

function connectWithPg(connectionString: string): Driver {
  const client = new pg.Pool({ connectionString, max: 8 });
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

function start(version: keyof typeof POSTGRES_RELEASES): Promise<Postgres> {
  return startPostgres({ program: POSTGRES_RELEASES[version], settings: { fsync: "off" } });
}

for (
  const [name, connect] of Object.entries({ pg: connectWithPg, postgres: connectWithPostgres })
) {
  for (const version of IS_FULL ? [16, 17, 18] as const : [18] as const) {
    Deno.test(`postgresBudgetStore() passes the checks on PostgreSQL ${version} with ${name}`, {
      ignore,
    }, async () => {
      await using server = await start(version);
      await using driver = connect(server.url);
      await using other = connect(server.url);
      const stores = [driver, other].map(({ client }) => postgresBudgetStore(client));
      // Processes that start at the same time create the tables at the same time.
      await Promise.all([...stores, ...stores].map((store) => store.createTables()));
      let opened = 0;
      for (const check of budgetStoreChecks) {
        await check.run(() => stores[opened++ % 2] ?? Promise.reject(new Error("no store")));
      }
    });
  }
}

Deno.test("postgresBudgetStore() purges old budgets, and uses the table of its options", {
  ignore,
}, async () => {
  await using server = await start(18);
  await using driver = connectWithPg(server.url);
  await driver.client.query("create schema app");
  const store = postgresBudgetStore(driver.client, { table: "app.budget" });
  const options = { limit: 10, ttlMs: 60_000 };
  await assertRejects(() => store.reserve("a", 5, options), Error, "app.budget");
  await store.createTables();
  await store.createTables();
  const id = await store.reserve("a", 5, options);
  assertEquals(await store.purge(new Date(0)), 0);
  assertEquals(await store.purge(new Date(Date.now() + 3_600_000)), 1);
  await store.settle(id ?? "", 5);
  assertEquals(await store.read("a"), { used: 0, reserved: 0 });
});

/** Runs a process. Returns the tokens that it has used, and the signal that ended it. */
async function run(url: string, killAt: number): Promise<[number, string | null]> {
  const config = new URL("../deno.json", import.meta.url).pathname;
  const args = ["run", "--quiet", "--no-check", "-A", "--config", config, WORKER];
  const { stdout, stderr, signal } = await new Deno.Command("deno", {
    args: [...args, url, String(LIMIT), String(killAt)],
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return [60 * (new TextDecoder().decode(stdout).split("\n").length - 1), signal];
}

Deno.test("processes that are killed never exceed a budget in PostgreSQL", {
  ignore,
}, async () => {
  await using server = await start(18);
  let kills = 0;
  let spent = 0;
  const crash = async (): Promise<void> => {
    while (kills < KILLS) {
      kills++;
      const [used, signal] = await run(server.url, 1 + kills * 5 % 4);
      spent += used;
      assertEquals(signal, "SIGKILL");
    }
  };
  const work = async (): Promise<void> => {
    const [used, signal] = await run(server.url, 0);
    spent += used;
    assertEquals(signal, null);
  };
  await Promise.all(Array.from({ length: PROCESSES }, crash));
  await Promise.all(Array.from({ length: PROCESSES }, work));
  await using driver = connectWithPg(server.url);
  const { reserved, used } = await postgresBudgetStore(driver.client).read("user:1");
  const counted = used + reserved;
  assert(counted <= LIMIT && counted > LIMIT - 100, `${counted} counted`);
  // Each killed process leaves a reservation of 100 for a call that used 60.
  assertEquals(counted - spent, 40 * KILLS);
});
