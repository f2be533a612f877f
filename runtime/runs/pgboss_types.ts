/**
 * Structural types for the pg-boss 12 API that durable runs use.
 *
 * @module
 */

/**
 * Executes SQL: the database interface of pg-boss, which its adapters `fromKnex`, `fromKysely`,
 * `fromDrizzle` and `fromPrisma` implement.
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

/** Settings for a pg-boss instance. */
export interface PgBossSettings {
  /** Connection string of the database. */
  readonly connectionString?: string;
  /** The caller's database. */
  readonly db?: PgBossDatabase;
  /** Schema of the pg-boss tables. */
  readonly schema: string;
  /** Whether pg-boss creates its tables, and migrates tables from older versions. */
  readonly migrate: boolean;
  /** Maximum number of connections. */
  readonly max?: number;
  /** Interval at which pg-boss checks for maintenance work, in seconds. */
  readonly superviseIntervalSeconds: number;
  /** Interval at which pg-boss checks for jobs without heartbeats, in seconds. */
  readonly monitorIntervalSeconds: number;
  /** Whether new jobs wake the workers. */
  readonly useListenNotify: boolean;
  /** Whether pg-boss records the process in a table. */
  readonly registerInstance: boolean;
  /** Whether pg-boss runs scheduled jobs. */
  readonly schedule: boolean;
}

/** Settings for a queue. */
export interface PgBossQueueSettings {
  /** Policy that determines which jobs are delivered concurrently. */
  readonly policy: string;
  /** Whether new jobs in the queue wake the workers. */
  readonly notify: boolean;
  /** Maximum number of deliveries after the first delivery. */
  readonly retryLimit: number;
  /** Delay before a job is delivered again, in seconds. */
  readonly retryDelay: number;
  /** Maximum duration of a delivery, in seconds. */
  readonly expireInSeconds: number;
  /** How long a job that no worker fetches is kept, in seconds. */
  readonly retentionSeconds: number;
  /** How long a job that has ended is kept, in seconds. */
  readonly deleteAfterSeconds: number;
  /** Queue for copies of jobs that were delivered too many times. */
  readonly deadLetter?: string;
  /** Time without a heartbeat after which a job is delivered again, in seconds. */
  readonly heartbeatSeconds?: number;
}

/** Settings for a job. */
export interface PgBossSendOptions {
  /**
   * Key of the job. In a queue with the `key_strict_fifo` policy, only one job per key is delivered
   * at a time.
   */
  readonly singletonKey: string;
  /** Id of the job, a UUID. */
  readonly id?: string;
  /** Delay in seconds, or earliest delivery time. */
  readonly startAfter?: number | Date;
  /** The caller's transaction. */
  readonly db?: PgBossDatabase;
  /** Jobs with a higher priority are delivered first. If omitted, the priority is 0. */
  readonly priority?: number;
}

/** Settings for a worker. */
export interface PgBossWorkOptions {
  /** Interval between fetches without notifications, in seconds. */
  readonly pollingIntervalSeconds: number;
  /** Interval between fetches with notifications, in seconds. */
  readonly notifyPollingIntervalSeconds: number;
  /** Interval between heartbeats, in seconds. */
  readonly heartbeatRefreshSeconds: number;
  /** Whether jobs contain `sourceName` and `sourceId`. */
  readonly includeMetadata: true;
}

/** A job that a worker has fetched. */
export interface PgBossJob {
  /** Id of the job, a UUID. */
  readonly id: string;
  /** Content of the job. */
  readonly data: unknown;
  /** Aborted when the job is cancelled or delivered to another worker. */
  readonly signal: AbortSignal;
  /** For a dead letter, the queue of the original job. */
  readonly sourceName: string | null;
  /** For a dead letter, the id of the original job. */
  readonly sourceId: string | null;
  /** Priority of the job. */
  readonly priority?: number;
}

/** A pg-boss instance. */
export interface PgBossInstance {
  /** Listens for errors that do not reject a promise. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Listens for warnings. */
  on(event: "warning", listener: (warning: { message: string }) => void): unknown;
  /** Connects to the database and prepares the pg-boss tables. */
  start(): Promise<unknown>;
  /** Stops the workers and closes the connections. */
  stop(options: { graceful: boolean }): Promise<void>;
  /** Returns the database. */
  getDb(): PgBossDatabase;
  /** Creates a queue if it does not exist. */
  createQueue(name: string, settings: PgBossQueueSettings): Promise<void>;
  /** Adds a job. Resolves to `null` if there is a job with the same id. */
  send(name: string, data: object, options: PgBossSendOptions): Promise<string | null>;
  /** Finds the jobs in a queue with the given id or key. */
  findJobs(
    name: string,
    options: { id?: string; key?: string; db?: PgBossDatabase },
  ): Promise<readonly { readonly id: string; readonly state: string }[]>;
  /** Cancels jobs that have not ended. */
  cancel(name: string, ids: string[]): Promise<unknown>;
  /** Deletes a job. */
  deleteJob(name: string, id: string, options?: { db?: PgBossDatabase }): Promise<unknown>;
  /** Starts a worker and resolves to its id. */
  work(
    name: string,
    options: PgBossWorkOptions,
    handle: (jobs: PgBossJob[]) => Promise<void>,
  ): Promise<string>;
  /** Causes a worker to fetch a job without delay. */
  notifyWorker(id: string): void;
  /** Stops a worker. */
  offWork(name: string, options: { id: string; wait: boolean }): Promise<void>;
}

/** The `PgBoss` class from the `pg-boss` package. */
export interface PgBossClass {
  /** Creates an instance that is not connected yet. */
  new (settings: PgBossSettings): PgBossInstance;
}
