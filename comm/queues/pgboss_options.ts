/**
 * Options for message queues on pg-boss.
 *
 * @module
 */

import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import { assertPool, poolSizeOf } from "@parley/internal/sql-client";
import type { SqlClient } from "../shared/sql_client.ts";
import type { PgBossClass } from "./pgboss_types.ts";
import {
  STORED_QUEUE_RULES,
  type StoredQueueOptions,
  type StoredQueueSettings,
} from "./queue_options.ts";

/**
 * Options for `pgBossQueue`. With 1000 inboxes, each maintenance pass of pg-boss takes 20 seconds.
 */
export interface PgBossQueueOptions extends StoredQueueOptions {
  /** The `PgBoss` class from the `pg-boss` package, version 12.38 or later. */
  readonly PgBoss: PgBossClass;
  /**
   * URL of the PostgreSQL database. The database user must have permission to create a schema.
   * Either `connectionString` or `db` is required.
   */
  readonly connectionString?: string;
  /**
   * `Pool` of the package `pg`, which the caller must close after the queue. The pool can be shared
   * with other stores. One connection of the pool receives notifications, and each running handler
   * of a transactional consumer uses a connection.
   */
  readonly db?: SqlClient;
  /**
   * Schema for the pg-boss tables, which the queue creates or migrates.
   *
   * @default {"pgboss"}
   */
  readonly schema?: string;
  /**
   * Maximum number of connections that `connectionString` opens, in addition to the connection that
   * receives notifications. Each running handler of a transactional consumer uses a connection.
   * With `db`, the size of the pool minus one applies.
   *
   * @default {10}
   */
  readonly maxConnections?: number;
  /**
   * Maximum number of messages that a consumer fetches with one statement. The messages of a batch
   * are handled at the same time and acknowledged together, so a slow handler delays the
   * acknowledgment of its batch and the start of the next batch. A consumer starts
   * `concurrency / batchSize` workers.
   *
   * @default {8}
   */
  readonly batchSize?: number;
}

/** Options with default values filled in. */
export type PgBossLimits =
  & StoredQueueSettings
  & Omit<
    Settings<PgBossQueueOptions, OptionWithDefault>,
    keyof StoredQueueOptions | "PgBoss" | "connectionString" | "db"
  >;

/** Options for opening the database. */
export type PgBossConnection =
  & Pick<
    Settings<PgBossQueueOptions, OptionWithDefault>,
    "PgBoss" | "connectionString" | "db" | "onError"
  >
  & { readonly limits: PgBossLimits };

type OptionWithDefault = Exclude<
  keyof PgBossQueueOptions,
  "inboxOf" | "onError" | "PgBoss" | "connectionString" | "db"
>;

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,49}$/;

/** pg-boss limits the duration of a job to one day. */
const MAX_HANDLER_TIMEOUT_MS = 82_800_000;

const readOptions = optionsReader<PgBossQueueOptions>("options")({
  ...STORED_QUEUE_RULES,
  PgBoss: required(assertPgBoss),
  connectionString: assertUrl,
  db: assertPool,
  schema: withDefault("pgboss", assertSchemaName),
  maxConnections: withDefault(10, assertCount),
  batchSize: withDefault(8, assertCount),
});

function assertPgBoss(name: string, value: unknown): void {
  if (typeof value !== "function") {
    rejectArgument(name, 'the class of the package "pg-boss"', value);
  }
}

function assertUrl(name: string, value: unknown): void {
  if (typeof value !== "string") rejectArgument(name, "a URL", value);
}

function assertSchemaName(name: string, value: unknown): void {
  if (typeof value === "string" && SCHEMA_NAME.test(value)) return;
  rejectArgument(name, '1 to 50 lowercase letters, digits and "_"', value);
}

/** Validates the options for a queue on pg-boss and fills in default values. */
export function readPgBossOptions(options: PgBossQueueOptions): PgBossConnection {
  const { PgBoss, connectionString, db, onError, ...settings } = readOptions(options);
  if ((connectionString === undefined) === (db === undefined)) {
    throw new TypeError('Exactly one of "connectionString" and "db" must be set');
  }
  if (settings.handlerTimeoutMs > MAX_HANDLER_TIMEOUT_MS) {
    throw new RangeError(
      `"handlerTimeoutMs" must be at most ${MAX_HANDLER_TIMEOUT_MS}, got ${settings.handlerTimeoutMs}`,
    );
  }
  const limits = {
    ...settings,
    maxConnections: db === undefined ? settings.maxConnections : poolSizeOf(db) - 1,
    orderedInboxes: new Set(settings.orderedInboxes),
  };
  return { PgBoss, connectionString, db, onError, limits };
}
