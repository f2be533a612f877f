/**
 * A replica of the MCP server, which gives agents access to a warehouse. Any replica can handle any
 * request, because the replicas share their tasks in the database.
 *
 * @module
 */

import { setTimeout as delay } from "node:timers/promises";
// @ts-types="@types/pg"
import pg from "pg";
import { postgresTaskStore } from "@parley/mcp/postgres";
import { mcpHandler, McpServer } from "@parley/mcp/server";
import { serverTasks } from "@parley/mcp/tasks";
import { emit, emitProblem, readEnvironment, stopSignal } from "./child.ts";
import { PRICES } from "./orders.ts";

/**
 * Member of `_meta` with the idempotency key, which is the same for all attempts of a tool call.
 */
export const IDEMPOTENCY_KEY = "warehouse.example/idempotency-key";

/** Time that the warehouse takes to reserve an item, in milliseconds. */
const RESERVE_MS = 150;

/** Reserves an item once per key, and counts the requests with that key. */
const RESERVE = `
  insert into reservation (key, item, quantity) values ($1, $2, $3)
  on conflict (key) do update
  set executions = reservation.executions + 1, executed_at = clock_timestamp()`;

const ITEM = { type: "string", enum: [...PRICES.keys()] } as const;

function createWarehouse(pool: pg.Pool): McpServer {
  const store = postgresTaskStore(pool, { onError: emitProblem });
  const jobs = serverTasks({ store, leaseMs: 3000, pollIntervalMs: 100 });
  const server = new McpServer({ name: "warehouse", version: "1.0.0", extensions: [jobs] });
  server.registerTool({
    name: "price",
    description: "Returns the price of an item in euros",
    inputSchema: { type: "object", properties: { item: ITEM }, required: ["item"] },
    annotations: { readOnlyHint: true },
  }, ({ item }) => String(PRICES.get(String(item))));
  server.registerTool({
    name: "reserve",
    description: "Reserves items",
    inputSchema: {
      type: "object",
      properties: { item: ITEM, quantity: { type: "integer", minimum: 1 } },
      required: ["item", "quantity"],
    },
    annotations: { idempotentHint: true },
  }, async ({ item, quantity }, context) => {
    const key = context.meta[IDEMPOTENCY_KEY];
    if (typeof key !== "string") throw new Error(`"_meta" must contain "${IDEMPOTENCY_KEY}"`);
    // The client receives a task, and can ask any replica whether the task has ended.
    const { signal } = await jobs.start(context);
    await pool.query(RESERVE, [key, item, quantity]);
    emit({ type: "effect", key });
    await delay(RESERVE_MS, undefined, { signal });
    return `Reserved ${quantity} x ${item}`;
  });
  return server;
}

if (import.meta.main) {
  const { DATABASE_URL } = readEnvironment("DATABASE_URL");
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
  pool.on("error", emitProblem);
  const handler = mcpHandler(createWarehouse(pool));
  const http = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: stopSignal(),
    onListen: ({ port }) => emit({ type: "ready", url: `http://127.0.0.1:${port}` }),
  }, (request) => handler(request));
  await http.finished;
  await handler.close();
  await pool.end();
  Deno.exit();
}
