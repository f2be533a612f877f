/**
 * The queue of signed messages that all processes of the example share.
 *
 * @module
 */

import { pgBossQueue, type SqlClient } from "@parley/comm/pgboss";
import type { MessageQueue } from "@parley/comm/queues";
import { PgBoss } from "pg-boss";
import { emitProblem } from "./child.ts";

/** Inbox for the agent's tasks. */
export const TASKS = "tasks";

/** Inbox for the requester's responses. */
export const RESPONSES = "responses";

/** Maximum time that messages wait in the queue, in milliseconds. */
export const RETENTION_MS = 86_400_000;

/** Opens the queue. Messages for the agent are tasks; messages for the requester are responses. */
export async function openQueue(
  connectionString: string,
  agent: string,
): Promise<MessageQueue<SqlClient>> {
  return await pgBossQueue({
    PgBoss,
    connectionString,
    inboxOf: (did) => did === agent ? TASKS : RESPONSES,
    maxConnections: 10,
    retentionMs: RETENTION_MS,
    // A worker waits for the result of each fetched task, so it acknowledges each task separately.
    batchSize: 1,
    onError: emitProblem,
  });
}
