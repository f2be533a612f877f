/**
 * A worker, which takes signed tasks from the queue, executes the agent's durable runs, and sends
 * signed responses. A worker can be killed at any time: other workers continue its runs and repeat
 * its tasks.
 *
 * @module
 */

import { Buffer } from "node:buffer";
// @ts-types="@types/pg"
import pg from "pg";
import { PgBoss } from "pg-boss";
import { type AgentCommMessage, createSigner, type MessageSigner } from "@parley/comm";
import type { SqlClient } from "@parley/comm/pgboss";
import { createVerifier } from "@parley/comm/policy";
import { type MessageQueue, type QueueDelivery, verified } from "@parley/comm/queues";
import { McpClient } from "@parley/mcp/client";
import { clientTasks } from "@parley/mcp/tasks";
import { ToolLoopAgent } from "@parley/runtime";
import { type AgentService, agentService } from "@parley/runtime/bridge";
import { toEventJson } from "@parley/runtime/events";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { openRuns, type RunContext } from "@parley/runtime/runs";
import { serveRuns, toServedContext } from "@parley/runtime/serve";
import { emit, emitProblem, readEnvironment, stopSignal } from "./child.ts";
import { IDEMPOTENCY_KEY } from "./mcp_replica.ts";
import { openQueue, RETENTION_MS, TASKS } from "./queue.ts";
import { retry, retryCalls } from "./retry_calls.ts";
import { createStockModel } from "./stock_model.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Number of messages that a worker handles concurrently. The worker handles a message until the
 * message's run has ended.
 */
const MAX_TASKS = 8;

/** Number of runs that a worker executes concurrently. */
const MAX_RUNS = 4;

/** Creates the agent that executes one run, and reports the task of the run. */
function createClerk(client: McpClient, run: RunContext): ToolLoopAgent {
  const { caller, metadata: { taskId } } = toServedContext(run);
  emit({ type: "task", run: run.runId, sender: caller?.subject, taskId });
  return new ToolLoopAgent({
    name: "clerk",
    model: createStockModel(),
    systemPrompt: "Look up the prices of the items, reserve the items, and return the total.",
    onInitialize: async ({ registry }) => {
      await registry.registerMcp(retryCalls(client), {
        trustHints: true,
        meta: ({ idempotencyKey }) => ({ [IDEMPOTENCY_KEY]: idempotencyKey }),
      });
    },
    onEvent: (event) => emit({ ...toEventJson(event) }),
    onError: emitProblem,
  });
}

/**
 * Handles a task: executes its run, or waits for its run on another worker, and sends the response.
 */
async function handleTask(
  { message, signal }: QueueDelivery<SqlClient>,
  { serve, send, signer }: {
    readonly serve: AgentService;
    readonly send: (runId: string, response: AgentCommMessage) => Promise<void>;
    readonly signer: MessageSigner;
  },
): Promise<void> {
  emit({ type: "message", receiver: "clerk", verified: true, message });
  const update = (): Promise<void> => Promise.resolve();
  const response = await serve(message, { signal, update });
  const { taskId = message.id } = Object(message.payload);
  await send(`${message.sender}/${taskId}`, await signer.reply(message, "response", response));
}

/**
 * Sends the response to a task, unless a response has already been sent. The response and the
 * task's row in `responded` are stored in one transaction, so a task that arrives twice, or whose
 * worker is killed here, receives exactly one response.
 */
async function respondOnce(
  pool: pg.Pool,
  queue: MessageQueue<SqlClient>,
  runId: string,
  response: AgentCommMessage,
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const row = "insert into responded (run_id) values ($1) on conflict do nothing returning 1";
    const { rows } = await tx.query(row, [runId]);
    if (rows.length === 1) await queue.send(response, { tx });
  });
}

if (import.meta.main) {
  const { AGENT_SEED, DATABASE_URL, MCP_URL, REQUESTER } = readEnvironment(
    "AGENT_SEED",
    "DATABASE_URL",
    "MCP_URL",
    "REQUESTER",
  );
  const signal = stopSignal();
  const signer = await createSigner({ seed: Buffer.from(AGENT_SEED, "base64") });
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: MAX_TASKS });
  pool.on("error", emitProblem);
  const client = new McpClient({
    transport: { type: "http", url: MCP_URL },
    extensions: [clientTasks()],
  });
  await retry(() => client.connect({ signal }), signal);
  const queue = await openQueue(DATABASE_URL, signer.did);
  const runs = openRuns(
    pgBossRuns({ PgBoss, connectionString: DATABASE_URL, onError: emitProblem }),
    { clerk: { version: "1", make: (run) => createClerk(client, run) } },
    { onError: emitProblem },
  );
  // Only the requester may send tasks to the agent. Replayed tasks need no replay store: a task has
  // one run and one response, no matter how often the task arrives.
  const verifier = createVerifier({
    recipient: signer.did,
    policy: {
      require: "reject",
      senders: { [REQUESTER]: "signature" },
      maxAgeMs: RETENTION_MS,
    },
  });
  const serve = agentService(serveRuns(runs, { agent: "clerk" }), { onCancel: "continue" });
  const send = (runId: string, response: AgentCommMessage): Promise<void> =>
    respondOnce(pool, queue, runId, response);
  const handler = verified<SqlClient>(
    verifier,
    (delivery) => handleTask(delivery, { serve, send, signer }),
  );
  emit({ type: "ready" });
  await Promise.all([
    runs.work({ concurrency: MAX_RUNS, signal }),
    queue.consume(TASKS, handler, { concurrency: MAX_TASKS, signal }),
  ]);
  await runs.close();
  await queue.close();
  await client.disconnect();
  await pool.end();
  Deno.exit();
}
