/**
 * Options for message queues on pg-boss.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { assertCounts, assertPositive } from "@parley/internal/assert-argument";
import type { PgBossClass } from "./pgboss_types.ts";
import { type QueueOptions, type QueueSettings, readQueueOptions } from "./queue_options.ts";

/** Options for `pgBossQueue`. */
export interface PgBossQueueOptions extends QueueOptions {
  /** The `PgBoss` class from the `pg-boss` package, version 12.38 or later. */
  readonly PgBoss: PgBossClass;
  /** URL of the PostgreSQL database. The database user must have permission to create a schema. */
  readonly connectionString: string;
  /**
   * Schema for the pg-boss tables, which the queue creates or migrates.
   *
   * @default {"pgboss"}
   */
  readonly schema?: string;
  /**
   * Maximum number of connections to the database, in addition to the connection that receives notifications. Each
   * running handler of a transactional consumer uses a connection.
   *
   * @default {10}
   */
  readonly maxConnections?: number;
  /**
   * Maximum number of inboxes that this queue uses. With 1000 inboxes, each pg-boss maintenance pass takes 20 seconds.
   *
   * @default {20}
   */
  readonly maxInboxes?: number;
  /**
   * Maximum number of messages being stored at the same time. If `maxPendingMessages` messages are being stored,
   * `send` rejects with `capacity_exceeded`.
   *
   * @default {1000}
   */
  readonly maxPendingMessages?: number;
  /**
   * Maximum total size of the messages being stored at the same time, in bytes.
   *
   * @default {8_388_608}
   */
  readonly maxPendingBytes?: number;
  /**
   * Maximum number of messages that a consumer fetches with one statement. The messages of a batch are handled at
   * the same time and acknowledged together, so a slow handler delays the acknowledgment of its batch and the start
   * of the next batch. A consumer starts `concurrency / batchSize` workers.
   *
   * @default {8}
   */
  readonly batchSize?: number;
  /**
   * Time after which undelivered messages and dead letters are deleted, in milliseconds.
   *
   * @default {1_209_600_000}
   */
  readonly retentionMs?: number;
  /**
   * Time to track acknowledged messages, in milliseconds. A message with the same sender and id
   * that is sent within `deduplicationMs` is not stored again.
   *
   * @default {86_400_000}
   */
  readonly deduplicationMs?: number;
}

/** Validated options with default values. */
export interface PgBossLimits extends QueueSettings {
  readonly schema: string;
  readonly maxConnections: number;
  readonly maxInboxes: number;
  readonly maxPendingMessages: number;
  readonly maxPendingBytes: number;
  readonly batchSize: number;
  readonly retentionMs: number;
  readonly deduplicationMs: number;
}

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,49}$/;

/** pg-boss limits the duration of a job to one day. */
const MAX_HANDLER_TIMEOUT_MS = 82_800_000;

/** Validates the options for a queue on pg-boss. */
export function readPgBossOptions(options: PgBossQueueOptions): PgBossLimits {
  const { PgBoss, connectionString, schema = "pgboss" } = options;
  if (typeof PgBoss !== "function") {
    throw new TypeError(
      `"PgBoss" must be the class of the package "pg-boss", got ${formatValue(PgBoss)}`,
    );
  }
  if (typeof connectionString !== "string") {
    throw new TypeError(`"connectionString" must be a URL, got ${formatValue(connectionString)}`);
  }
  if (typeof schema !== "string" || !SCHEMA_NAME.test(schema)) {
    throw new TypeError(
      `"schema" must be 1 to 50 lowercase letters, digits and "_", got ${formatValue(schema)}`,
    );
  }
  const settings = readQueueOptions(options);
  if (settings.handlerTimeoutMs > MAX_HANDLER_TIMEOUT_MS) {
    throw new RangeError(
      `"handlerTimeoutMs" must be at most ${MAX_HANDLER_TIMEOUT_MS}, got ${settings.handlerTimeoutMs}`,
    );
  }
  const { maxConnections = 10, maxInboxes = 20, batchSize = 8 } = options;
  const { maxPendingMessages = 1000, maxPendingBytes = 8 * 1024 * 1024 } = options;
  const { retentionMs = 1_209_600_000, deduplicationMs = 86_400_000 } = options;
  const counts = { maxConnections, maxInboxes, batchSize, maxPendingMessages, maxPendingBytes };
  assertCounts(1, counts);
  assertPositive({ retentionMs, deduplicationMs });
  return { ...settings, ...counts, schema, retentionMs, deduplicationMs };
}
