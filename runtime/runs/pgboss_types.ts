/**
 * The parts of pg-boss 12 that durable runs use, as structural types.
 *
 * @module
 */

/**
 * Executes SQL: the interface of pg-boss to a database, which its adapters `fromKnex`, `fromKysely`, `fromDrizzle` and
 * `fromPrisma` implement. For a client or transaction of the package `pg`, use
 * `{ executeSql: (text, values) => client.query(text, values) }`.
 */
export interface PgBossDatabase {
  /**
   * Executes SQL and returns the rows.
   *
   * @param text SQL with parameters such as `$1`.
   * @param values Values of the parameters.
   */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Settings of a pg-boss instance. */
export interface PgBossSettings {
  readonly connectionString?: string;
  readonly db?: PgBossDatabase;
  readonly schema: string;
  readonly migrate: boolean;
  readonly max?: number;
  readonly superviseIntervalSeconds: number;
  readonly monitorIntervalSeconds: number;
  readonly useListenNotify: boolean;
  readonly registerInstance: boolean;
  readonly schedule: boolean;
}

/** Settings of a queue. */
export interface PgBossQueueSettings {
  readonly policy: string;
  readonly notify: boolean;
  readonly retryLimit: number;
  readonly retryDelay: number;
  readonly expireInSeconds: number;
  readonly retentionSeconds: number;
  readonly deleteAfterSeconds: number;
  readonly deadLetter?: string;
  readonly heartbeatSeconds?: number;
}

/** Settings of a job. */
export interface PgBossSendOptions {
  readonly singletonKey: string;
  readonly id?: string;
  readonly startAfter?: number | Date;
  readonly db?: PgBossDatabase;
}

/** Settings of a worker. */
export interface PgBossWorkOptions {
  readonly pollingIntervalSeconds: number;
  readonly notifyPollingIntervalSeconds: number;
  readonly heartbeatRefreshSeconds: number;
  readonly includeMetadata: true;
}

/** A job that a worker has fetched. */
export interface PgBossJob {
  readonly id: string;
  readonly data: unknown;
  readonly signal: AbortSignal;
  readonly sourceName: string | null;
  readonly sourceId: string | null;
}

/** A pg-boss instance. */
export interface PgBossInstance {
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "warning", listener: (warning: { message: string }) => void): unknown;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  getDb(): PgBossDatabase;
  createQueue(name: string, settings: PgBossQueueSettings): Promise<void>;
  send(name: string, data: object, options: PgBossSendOptions): Promise<string | null>;
  findJobs(
    name: string,
    options: { id?: string; key?: string; db?: PgBossDatabase },
  ): Promise<readonly { readonly id: string; readonly state: string }[]>;
  cancel(name: string, ids: string[]): Promise<unknown>;
  deleteJob(name: string, id: string, options?: { db?: PgBossDatabase }): Promise<unknown>;
  work(
    name: string,
    options: PgBossWorkOptions,
    handle: (jobs: PgBossJob[]) => Promise<void>,
  ): Promise<string>;
  notifyWorker(id: string): void;
  offWork(name: string, options: { id: string; wait: boolean }): Promise<void>;
}

/** The class `PgBoss` of the package `pg-boss`. */
export interface PgBossClass {
  new (settings: PgBossSettings): PgBossInstance;
}
