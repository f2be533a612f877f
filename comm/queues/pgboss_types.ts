/**
 * The parts of pg-boss 12 that message queues use, as structural types.
 *
 * @module
 */

/** Executes SQL: the database interface of pg-boss. */
export interface PgBossExecutor {
  /**
   * Executes a statement and returns the rows.
   *
   * @param text SQL with parameters such as `$1`.
   * @param values Values of the parameters.
   */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** An open pg-boss transaction. */
export interface PgBossTransaction {
  /** Executes statements in the transaction. */
  readonly db: PgBossExecutor;
  /** Commits the transaction. */
  commit(): Promise<void>;
  /** Rolls the transaction back. A rollback has no effect after a commit. */
  rollback(): Promise<void>;
}

/** The database of a pg-boss instance. */
export interface PgBossDatabase extends PgBossExecutor {
  /** Starts a transaction. */
  beginTransaction?(): Promise<PgBossTransaction>;
}

/** Settings of a pg-boss instance. */
export interface PgBossSettings {
  /** URL of the database. */
  readonly connectionString?: string;
  /** The caller's database. */
  readonly db?: PgBossDatabase;
  /** Schema of the tables. */
  readonly schema: string;
  /** Maximum number of connections. */
  readonly max: number;
  /** Time between maintenance passes, in seconds. */
  readonly superviseIntervalSeconds: number;
  /** Time between searches for expired jobs, in seconds. */
  readonly monitorIntervalSeconds: number;
  /** Whether workers receive notifications of new jobs. */
  readonly useListenNotify: boolean;
  /** Whether the pg-boss instance registers itself in the database. */
  readonly registerInstance: boolean;
  /** Whether the instance creates scheduled jobs. */
  readonly schedule: boolean;
}

/** Settings of a pg-boss queue that can be changed. */
export interface PgBossQueueUpdate {
  /** Whether a new job notifies the workers. */
  readonly notify: boolean;
  /** Maximum number of retries. */
  readonly retryLimit: number;
  /** Delay before the first retry, in seconds. */
  readonly retryDelay: number;
  /** Whether the delay doubles with each retry. */
  readonly retryBackoff: boolean;
  /** Maximum delay before a retry, in seconds. */
  readonly retryDelayMax: number;
  /** Maximum time that a job may take, in seconds. */
  readonly expireInSeconds: number;
  /** Time without a heartbeat after which a job is retried, in seconds. */
  readonly heartbeatSeconds: number;
  /** Retention time of jobs that were not started, in seconds. */
  readonly retentionSeconds: number;
  /** Retention time of completed jobs, in seconds. */
  readonly deleteAfterSeconds: number;
}

/** Settings of a pg-boss queue. */
export interface PgBossQueueSettings extends PgBossQueueUpdate {
  /** `standard`, or `key_strict_fifo` for an ordered inbox. */
  readonly policy: string;
}

/** A job to insert. */
export interface PgBossJobInsert {
  /** UUID of the job. */
  readonly id: string;
  /** The stored message. */
  readonly data: object;
  /** Key that is shared by all jobs that are processed in order. */
  readonly singletonKey?: string;
}

/** A job that a worker has fetched. */
export interface PgBossJob {
  /** UUID of the job. */
  readonly id: string;
  /** The stored message. */
  readonly data: unknown;
  /** Number of earlier attempts. */
  readonly retryCount: number;
  /** Aborts when the worker no longer holds the job. */
  readonly signal: AbortSignal;
}

/** Settings of a worker. */
export interface PgBossWorkOptions {
  /** Whether the worker returns a result for each job. */
  readonly perJobResults: true;
  /** Maximum number of jobs that the worker fetches at a time. */
  readonly batchSize: number;
  /** Time between fetches, in seconds. */
  readonly pollingIntervalSeconds: number;
  /** Time between fetches while notifications are received, in seconds. */
  readonly notifyPollingIntervalSeconds: number;
  /** Time between heartbeats, in seconds. */
  readonly heartbeatRefreshSeconds: number;
}

/** Result of a job. */
export interface PgBossJobResult {
  /** UUID of the job. */
  id: string;
  /** Whether the job is completed or must be retried. */
  status: "completed" | "failed";
  /** Reason for the job's failure. */
  output?: { readonly reason: string };
}

/** A pg-boss instance. The pg-boss documentation describes its methods. */
export interface PgBossInstance {
  /** Adds a listener for errors. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Adds a listener for warnings. */
  on(event: "warning", listener: (warning: { message: string }) => void): unknown;
  /** Connects to the database, and creates or migrates the tables. */
  start(): Promise<unknown>;
  /** Stops the workers and closes the connections. */
  stop(options: { graceful: boolean }): Promise<void>;
  /** Returns the database. */
  getDb(): PgBossDatabase;
  /** Returns a queue, or `null` if the queue does not exist. */
  getQueue(name: string): Promise<{ readonly policy?: string } | null>;
  /** Creates a queue, unless the queue already exists. */
  createQueue(name: string, settings: PgBossQueueSettings): Promise<void>;
  /** Changes the settings of a queue. */
  updateQueue(name: string, settings: PgBossQueueUpdate): Promise<void>;
  /** Inserts jobs, except those whose ids already exist. */
  insert(
    name: string,
    jobs: PgBossJobInsert[],
    options?: { readonly db?: PgBossExecutor },
  ): Promise<unknown>;
  /** Completes the given attempt of a job. */
  complete(
    name: string,
    attempt: { readonly id: string; readonly retryCount: number },
    data: object | null,
    options: { readonly db: PgBossExecutor },
  ): Promise<unknown>;
  /** Returns jobs, the oldest first. */
  findJobs(
    name: string,
    options: { readonly queued: boolean; readonly limit: number },
  ): Promise<readonly { readonly data: unknown }[]>;
  /** Moves jobs from a dead letter queue to another queue. */
  redrive(
    name: string,
    options: { readonly destination: string; readonly limit: number },
  ): Promise<number>;
  /** Starts a worker and returns its id. */
  work(
    name: string,
    options: PgBossWorkOptions,
    handler: (jobs: PgBossJob[]) => Promise<PgBossJobResult[]>,
  ): Promise<string>;
  /** Makes a worker fetch jobs immediately. */
  notifyWorker(workerId: string): void;
  /** Stops a worker. */
  offWork(name: string, options: { readonly id: string; readonly wait: boolean }): Promise<void>;
}

/** The `PgBoss` class from the `pg-boss` package, version 12.38 or later. */
export interface PgBossClass {
  /** Creates an instance. */
  new (settings: PgBossSettings): PgBossInstance;
}
