/**
 * The parts of pg-boss 12 that message queues use, as structural types.
 *
 * @module
 */

import type { SqlDatabase } from "../shared/sql.ts";

/** An open transaction of pg-boss. */
export interface PgBossTransaction {
  readonly db: SqlDatabase;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** The database of a pg-boss instance. */
export interface PgBossDatabase extends SqlDatabase {
  beginTransaction?(): Promise<PgBossTransaction>;
}

/** Settings of a pg-boss instance. */
export interface PgBossSettings {
  readonly connectionString: string;
  readonly schema: string;
  readonly max: number;
  readonly superviseIntervalSeconds: number;
  readonly monitorIntervalSeconds: number;
  readonly useListenNotify: boolean;
  readonly registerInstance: boolean;
  readonly schedule: boolean;
}

/** Settings of a pg-boss queue that can be changed. */
export interface PgBossQueueUpdate {
  readonly notify: boolean;
  readonly retryLimit: number;
  readonly retryDelay: number;
  readonly retryBackoff: boolean;
  readonly retryDelayMax: number;
  readonly expireInSeconds: number;
  readonly heartbeatSeconds: number;
  readonly retentionSeconds: number;
  readonly deleteAfterSeconds: number;
}

/** Settings of a pg-boss queue. */
export interface PgBossQueueSettings extends PgBossQueueUpdate {
  readonly policy: string;
}

/** A job to insert. */
export interface PgBossJobInsert {
  readonly id: string;
  readonly data: object;
  readonly singletonKey?: string;
}

/** A job that a worker has fetched. */
export interface PgBossJob {
  readonly id: string;
  readonly data: unknown;
  /** Number of earlier attempts. */
  readonly retryCount: number;
  readonly signal: AbortSignal;
}

/** Settings of a worker. */
export interface PgBossWorkOptions {
  readonly perJobResults: true;
  readonly batchSize: number;
  readonly pollingIntervalSeconds: number;
  readonly notifyPollingIntervalSeconds: number;
  readonly heartbeatRefreshSeconds: number;
}

/** Result of a job. */
export interface PgBossJobResult {
  id: string;
  status: "completed" | "failed";
  output?: { readonly reason: string };
}

/** A pg-boss instance. */
export interface PgBossInstance {
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "warning", listener: (warning: { message: string }) => void): unknown;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  getDb(): PgBossDatabase;
  getQueue(name: string): Promise<{ readonly policy?: string } | null>;
  createQueue(name: string, settings: PgBossQueueSettings): Promise<void>;
  updateQueue(name: string, settings: PgBossQueueUpdate): Promise<void>;
  insert(
    name: string,
    jobs: PgBossJobInsert[],
    options?: { readonly db?: SqlDatabase },
  ): Promise<unknown>;
  complete(
    name: string,
    attempt: { readonly id: string; readonly retryCount: number },
    data: object | null,
    options: { readonly db: SqlDatabase },
  ): Promise<unknown>;
  findJobs(
    name: string,
    options: { readonly queued: boolean; readonly limit: number },
  ): Promise<readonly { readonly data: unknown }[]>;
  redrive(
    name: string,
    options: { readonly destination: string; readonly limit: number },
  ): Promise<number>;
  work(
    name: string,
    options: PgBossWorkOptions,
    handler: (jobs: PgBossJob[]) => Promise<PgBossJobResult[]>,
  ): Promise<string>;
  notifyWorker(workerId: string): void;
  offWork(name: string, options: { readonly id: string; readonly wait: boolean }): Promise<void>;
}

/** The class `PgBoss` of the package `pg-boss`, version 12.38 or later. */
export interface PgBossClass {
  new (settings: PgBossSettings): PgBossInstance;
}
