/**
 * The requester, which sends every task twice, in two signed messages with the same task id, like a
 * requester that does not know whether its first message was stored. The transaction that sends a
 * message also stores which task the message contains, and the transaction that acknowledges a
 * response also stores the response. A requester that was killed therefore continues where it
 * stopped.
 *
 * @module
 */

import { Buffer } from "node:buffer";
// @ts-types="@types/pg"
import pg from "pg";
import { AgentCommMessage, createSigner, type MessageSigner, signMessage } from "@parley/comm";
import type { SqlClient } from "@parley/comm/pgboss";
import { createVerifier } from "@parley/comm/policy";
import { type MessageQueue, type QueueDelivery, Reject, verified } from "@parley/comm/queues";
import { emit, emitProblem, readEnvironment, stopSignal } from "./child.ts";
import { taskOf } from "./orders.ts";
import { openQueue, RESPONSES, RETENTION_MS } from "./queue.ts";
import { inTransaction } from "./transaction.ts";

const COPIES = 2;

/** Sends the task for an order twice, unless it has already been sent. */
async function sendTask(
  order: number,
  { agent, pool, queue, signer }: {
    readonly agent: string;
    readonly pool: pg.Pool;
    readonly queue: MessageQueue<SqlClient>;
    readonly signer: MessageSigner;
  },
): Promise<void> {
  await inTransaction(pool, async (tx) => {
    const sent = await tx.query("select 1 from request where order_number = $1", [order]);
    for (let copy = sent.rows.length; copy < COPIES; copy++) {
      const message = new AgentCommMessage({
        sender: signer.did,
        recipient: agent,
        protocol: "agent.task.v1",
        messageType: "request",
        payload: { taskId: `order-${order}`, content: taskOf(order) },
      });
      await tx.query("insert into request values ($1, $2)", [message.id, order]);
      await queue.send(await signMessage(message, signer), { tx });
    }
  });
}

/** Stores a response. */
async function storeResponse({ message, tx }: QueueDelivery<SqlClient>): Promise<void> {
  emit({ type: "message", receiver: "requester", verified: true, message });
  const { text } = Object(message.payload);
  const { rows: [row] } = await tx?.query(
    `insert into response select order_number, $2 from request where message_id = $1
      returning order_number as order`,
    [message.correlationId ?? "", String(text)],
  ) ?? { rows: [] };
  if (row === undefined) throw new Reject("The message is not a response to a task");
  emit({ type: "responded", ...Object(row), text });
}

if (import.meta.main) {
  const { AGENT, DATABASE_URL, REQUESTER_SEED, TASK_COUNT } = readEnvironment(
    "AGENT",
    "DATABASE_URL",
    "REQUESTER_SEED",
    "TASK_COUNT",
  );
  const signal = stopSignal();
  const signer = await createSigner({ seed: Buffer.from(REQUESTER_SEED, "base64") });
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
  pool.on("error", emitProblem);
  const queue = await openQueue(DATABASE_URL, AGENT);
  const verifier = createVerifier({
    recipient: signer.did,
    policy: {
      require: "reject",
      senders: { [AGENT]: "signature" },
      maxAgeMs: RETENTION_MS,
    },
  });
  const handler = verified<SqlClient>(verifier, storeResponse);
  const receiving = queue.consume(RESPONSES, handler, { transactional: true, signal });
  emit({ type: "ready" });
  const context = { agent: AGENT, pool, queue, signer };
  for (let order = 1; order <= Number(TASK_COUNT); order++) await sendTask(order, context);
  await receiving;
  await queue.close();
  await pool.end();
  Deno.exit();
}
