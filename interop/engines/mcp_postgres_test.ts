/**
 * Tests the stores in `@parley/mcp/postgres` against a PostgreSQL server, with the drivers
 * `postgres` and `pg`.
 */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import pg from "pg";
import postgres from "postgres";
import {
  createTables,
  fromPostgres,
  postgresChangeBus,
  postgresDpopReplayStore,
  postgresTaskStore,
  type SqlClient,
} from "@parley/mcp/postgres";
import { changeBusChecks, taskStoreChecks } from "@parley/mcp/testing";
import type { ChangeAnnouncement } from "@parley/mcp/server";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const ignore = !HAS_POSTGRES;

/**
 * A connected PostgreSQL driver. The type check verifies that `postgres` and `pg` can be adapted to
 * `SqlClient`.
 */
interface Driver extends AsyncDisposable {
  readonly sql: SqlClient;
}

const DRIVERS: Readonly<Record<string, (url: string) => Driver>> = {
  postgres: (url) => {
    const driver = postgres(url, { onnotice: () => {}, max: 4 });
    return { sql: fromPostgres(driver), [Symbol.asyncDispose]: () => driver.end() };
  },
  pg: (url) => {
    const pool = new pg.Pool({ connectionString: url, max: 8 });
    pool.on("error", () => {});
    return { sql: pool, [Symbol.asyncDispose]: () => pool.end() };
  },
};

async function withServer(
  version: keyof typeof POSTGRES_RELEASES,
  body: (server: Postgres) => Promise<void>,
): Promise<void> {
  await using server = await startPostgres({
    program: POSTGRES_RELEASES[version],
    settings: { fsync: "off" },
  });
  await body(server);
}

for (const version of [16, 17, 18] as const) {
  Deno.test(`the stores of @parley/mcp/postgres pass all checks on PostgreSQL ${version}`, {
    ignore,
  }, async (t) => {
    await withServer(version, async ({ url }) => {
      for (const [name, connect] of Object.entries(DRIVERS)) {
        await using one = connect(url);
        await using two = connect(url);
        await Promise.all([createTables(one.sql), createTables(two.sql), createTables(one.sql)]);
        for (const check of taskStoreChecks) {
          await t.step(`${name}: ${check.name}`, () => {
            const stores = [postgresTaskStore(one.sql), postgresTaskStore(two.sql)];
            return check.run(() => stores.pop() ?? postgresTaskStore(one.sql));
          });
        }
        for (const check of changeBusChecks) {
          await t.step(`${name}: ${check.name}`, () => {
            const buses = [postgresChangeBus(one.sql), postgresChangeBus(two.sql)];
            return check.run(() => buses.pop() ?? postgresChangeBus(one.sql));
          });
        }
      }
    });
  });
}

Deno.test(
  "postgresDpopReplayStore() accepts a proof once in all processes",
  { ignore },
  async () => {
    await withServer(18, async ({ url }) => {
      await using one = DRIVERS.postgres?.(url) ?? fail();
      await using two = DRIVERS.pg?.(url) ?? fail();
      await createTables(one.sql);
      const stores = [postgresDpopReplayStore(one.sql), postgresDpopReplayStore(two.sql)];
      const proof = { key: "k", expiresAt: Date.now() + 60_000, subject: "ada" };
      const results = await Promise.all([...stores, ...stores].map((store) => store.add(proof)));
      assertEquals(results.filter((result) => result === true).length, 1);
      assertEquals(results.filter((result) => result === false).length, 3);
      const full = postgresDpopReplayStore(one.sql, { maxProofs: 1 });
      assertEquals(await full.add({ ...proof, key: "other" }), "full");
      await one.sql.query("update parley_mcp_dpop_proofs set expires_at = now()");
      assertEquals(
        await postgresDpopReplayStore(one.sql, { maxProofs: 1 }).add({ ...proof, key: "other" }),
        true,
      );
    });
  },
);

Deno.test(
  "missing tables and an unreachable database are reported clearly",
  { ignore },
  async () => {
    await withServer(18, async (server) => {
      for (const connect of Object.values(DRIVERS)) {
        await using driver = connect(server.url);
        const store = postgresTaskStore(driver.sql);
        const error = await assertRejects(() => store.get("a"), Error);
        assertStringIncludes(error.message, 'relation "parley_mcp_tasks" does not exist');
        assertStringIncludes(error.message, "call createTables() once");
      }
      await server.kill();
      for (const connect of Object.values(DRIVERS)) {
        await using driver = connect(server.url);
        const error = await assertRejects(() => postgresTaskStore(driver.sql).get("a"), Error);
        assertStringIncludes(error.message, "Cannot use the PostgreSQL tables for MCP: ");
      }
    });
  },
);

Deno.test(
  "a change bus receives changes again after PostgreSQL was killed",
  { ignore },
  async () => {
    await withServer(18, async (server) => {
      for (const connect of Object.values(DRIVERS)) {
        await using driver = connect(server.url);
        const bus = postgresChangeBus(driver.sql, { onError: () => {} });
        const received = Promise.withResolvers<ChangeAnnouncement>();
        const stop = await bus.subscribe(received.resolve);
        await server.restart();
        let isReceived = false;
        received.promise.then(() => isReceived = true);
        while (!isReceived) {
          await bus.publish({ origin: "a", change: { kind: "tools" } }).catch(() => {});
          await new Promise((resolve) => setImmediate(resolve));
        }
        assertEquals(await received.promise, { origin: "a", change: { kind: "tools" } });
        await stop();
      }
    });
  },
);

function fail(): never {
  throw new Error("the driver is missing");
}
