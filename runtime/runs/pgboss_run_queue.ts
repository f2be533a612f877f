/**
 * A queue that delivers durable runs with pg-boss.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { asRecord, defined } from "@parley/internal/json";
import { backOff } from "../shared/back_off.ts";
import { delay, systemClock } from "./clock.ts";
import type {
  AgentAddress,
  OpenRun,
  QueueWorkOptions,
  RunAddress,
  RunDelivery,
  RunJournal,
  RunQueue,
  WakeOptions,
} from "./contracts.ts";
import { isTemporary, reconnectDelay } from "../shared/database_errors.ts";
import { Semaphore } from "@parley/internal/semaphore";
import { toPgBossDatabase } from "@parley/internal/sql-client";
import type { PgBossInstance, PgBossJob, PgBossQueueSettings } from "./pgboss_types.ts";
import { readTransaction } from "./postgres_journal.ts";
import { isDamaged, uuidOf } from "./stored_rows.ts";

/**
 * Time without a heartbeat after which a run is delivered to another worker. pg-boss does not allow
 * a shorter time.
 */
const HEARTBEAT_SECONDS = 10;
/**
 * Interval between heartbeats. At each heartbeat, a worker checks whether its run was cancelled.
 */
const REFRESH_SECONDS = 1;
/**
 * Interval between fetches by a worker that has received no notification. No notification is sent
 * when a run becomes due or is taken over.
 */
const POLL_SECONDS = 2;
/**
 * Maximum duration of a delivery in pg-boss. A run that exceeds this duration is delivered again
 * and continues.
 */
const EXPIRE_SECONDS = 86_400;
/**
 * How long pg-boss keeps jobs that have ended. Ended jobs can be deleted after a day, because the
 * journal contains the runs.
 */
const DELETE_AFTER_SECONDS = 86_400;
/** How long pg-boss keeps jobs that no worker fetches. */
const RETENTION_SECONDS = 366 * 86_400;
/** Queue for jobs that were delivered too many times. No agent's queue is named `dead_letters`. */
const DEAD_LETTERS = "dead_letters";

/**
 * Number of attempts to record that a run was delivered too many times; the database may fail in
 * the meantime.
 */
const DEAD_LETTER_RETRIES = 10_000;
/** Delay between two attempts to record that a run was delivered too many times, in seconds. */
const DEAD_LETTER_RETRY_SECONDS = 10;

/** Greatest number that is subtracted from the priority of a job. */
const MAX_PRIORITY = 1_000_000;

/** States of jobs that have not ended. */
const OPEN_STATES: readonly string[] = ["created", "retry", "active", "blocked"];

/** Options for {@linkcode PgBossRunQueue}. */
export interface PgBossRunQueueOptions {
  /** Delay after the first failed attempt, in milliseconds. The delay doubles with each attempt. */
  readonly retryDelayMs: number;
  /** Maximum delay, in milliseconds. */
  readonly maxRetryDelayMs: number;
  /** Number of deliveries without an outcome after which a run fails. */
  readonly maxDeliveries: number;
  /** Counts the other runs of a run's party that are waiting for delivery. */
  readonly countQueued: (run: RunAddress) => Promise<number>;
  /** Called with errors that do not reject a promise. */
  readonly onError: (error: unknown) => void;
}

/** Content of a job. */
interface JobData {
  readonly runId: string;
  readonly attempt: number;
}

/**
 * Delivers runs as pg-boss jobs. The queue for an agent version delivers one job per run at a time,
 * in the order in which the jobs were added, except that the parties take turns: a run is delivered
 * after the runs of other parties that have fewer runs before them.
 *
 * A job ends even if the attempt fails; the next attempt is a separate job. pg-boss retries a job
 * only if a worker crashed or lost its database connection.
 */
export class PgBossRunQueue implements RunQueue, AsyncDisposable {
  readonly #boss: PgBossInstance;
  readonly #journal: RunJournal;
  readonly #options: PgBossRunQueueOptions;
  /** Queues that exist in pg-boss, keyed by name. */
  readonly #queues: Map<string, Promise<void>> = new Map();
  readonly #closed = new AbortController();
  readonly #workers: Set<Promise<void>> = new Set();

  constructor(boss: PgBossInstance, journal: RunJournal, options: PgBossRunQueueOptions) {
    this.#boss = boss;
    this.#journal = journal;
    this.#options = options;
  }

  async wake(run: RunAddress, { due, id, tx }: WakeOptions): Promise<void> {
    const queue = await this.#open(run);
    const { runId } = run;
    const db = tx === undefined ? undefined : toPgBossDatabase(readTransaction(tx));
    const jobId = uuidOf(runId, id);
    // The delay is measured with the clock of this process and applied with the clock of the
    // database. A time would be compared with the clock of the database: if that clock is ahead, a
    // run that still has to wait would be delivered again and again.
    const startAfter = due && Math.max(due.getTime() - systemClock.now(), 0) / 1000;
    const priority = -Math.min(await this.#options.countQueued(run), MAX_PRIORITY);
    const send = (): Promise<string | null> => {
      const options = { id: jobId, singletonKey: runId, priority, ...defined({ db, startAfter }) };
      return this.#boss.send(queue, { runId, attempt: 1 } satisfies JobData, options);
    };
    if (await send() !== null) return;
    const [job] = await this.#boss.findJobs(queue, { id: jobId, ...defined({ db }) });
    if (job !== undefined && OPEN_STATES.includes(job.state)) return;
    await this.#boss.deleteJob(queue, jobId, defined({ db }));
    await send();
  }

  async drop(run: RunAddress): Promise<void> {
    const queue = await this.#open(run);
    const jobs = await this.#boss.findJobs(queue, { key: run.runId });
    const ids = jobs.filter(({ state }) => OPEN_STATES.includes(state)).map(({ id }) => id);
    if (ids.length > 0) await this.#boss.cancel(queue, ids);
  }

  async work(
    agents: readonly AgentAddress[],
    { concurrency, signal }: QueueWorkOptions,
    handle: (runId: string, delivery: RunDelivery) => Promise<void>,
  ): Promise<void> {
    const stopped = AbortSignal.any([this.#closed.signal, ...signal ? [signal] : []]);
    const working = this.#work(agents, concurrency, stopped, handle);
    this.#workers.add(working);
    try {
      await working;
    } finally {
      this.#workers.delete(working);
    }
  }

  /** Stops the workers and waits for their deliveries. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new DOMException("The engine was closed", "AbortError"));
    await Promise.allSettled(this.#workers);
  }

  async #work(
    agents: readonly AgentAddress[],
    concurrency: number,
    stopped: AbortSignal,
    handle: (runId: string, delivery: RunDelivery) => Promise<void>,
  ): Promise<void> {
    const slots = new Semaphore(concurrency);
    const workers: (() => Promise<void>)[] = [];
    const start = async (
      queue: string,
      handleJob: (job: PgBossJob) => Promise<void>,
    ): Promise<void> => {
      const id = await this.#boss.work(queue, {
        pollingIntervalSeconds: POLL_SECONDS,
        notifyPollingIntervalSeconds: POLL_SECONDS,
        heartbeatRefreshSeconds: REFRESH_SECONDS,
        includeMetadata: true,
      }, async (jobs) => {
        for (const job of jobs) await handleJob(job);
        // Without a notification, the worker would wait before fetching the next job.
        this.#boss.notifyWorker(id);
      });
      workers.push(() => this.#boss.offWork(queue, { id, wait: true }));
    };
    try {
      for (const agent of agents) {
        for (let slot = 0; slot < concurrency; slot++) {
          await this.#persist(stopped, async () => {
            const queue = await this.#open(agent);
            await start(queue, (job) => this.#deliver(queue, job, slots, stopped, handle));
          });
        }
      }
      await this.#persist(
        stopped,
        () => start(DEAD_LETTERS, (job) => this.#failUndeliverable(job)),
      );
      await untilAborted(stopped);
    } finally {
      await Promise.all(workers.map((stop) => stop()));
    }
  }

  /**
   * Calls a function, and repeats the call while the database is temporarily unavailable, until the
   * call succeeds or the worker is stopped.
   */
  async #persist(stopped: AbortSignal, call: () => Promise<void>): Promise<void> {
    for (let attempt = 1; !stopped.aborted; attempt++) {
      try {
        return await call();
      } catch (error) {
        if (!isTemporary(error)) throw error;
        this.#options.onError(error);
        await delay(systemClock, reconnectDelay(attempt), stopped).catch(() => {});
      }
    }
  }

  /** Processes a delivery. If the handler fails, requests a new delivery of the run. */
  async #deliver(
    queue: string,
    job: PgBossJob,
    slots: Semaphore,
    stopped: AbortSignal,
    handle: (runId: string, delivery: RunDelivery) => Promise<void>,
  ): Promise<void> {
    const { attempt, runId } = readJob(job);
    const signal = AbortSignal.any([job.signal, stopped]);
    try {
      await slots.use(signal, () => handle(runId, { attempt, signal }));
    } catch {
      // A run that was cancelled, or that another worker has opened, is not delivered again. The
      // worker's `handle` function reports the error.
      if (job.signal.aborted) return;
      const { maxRetryDelayMs, retryDelayMs } = this.#options;
      // A delivery that fails because the worker is stopped does not count as an attempt.
      const next = stopped.aborted ? { data: { runId, attempt }, startAfter: 0 } : {
        data: { runId, attempt: attempt + 1 },
        startAfter: backOff(attempt, retryDelayMs, maxRetryDelayMs) / 1000,
      };
      const { data, startAfter } = next;
      const { priority = 0 } = job;
      const options = { singletonKey: runId, startAfter, priority };
      await this.#boss.send(queue, data satisfies JobData, options);
    }
  }

  /** Marks a run as failed if it was delivered too many times without an outcome. */
  async #failUndeliverable(job: PgBossJob): Promise<void> {
    const { runId } = readJob(job);
    const open = await this.#openUndeliverable(runId);
    if (open !== undefined) {
      const reason =
        `${this.#options.maxDeliveries} workers crashed or lost their database connection ` +
        "while they executed the run";
      const error = AgentError.run("run_limit", "continue", { runId, reason });
      const { code, message } = error;
      const { epoch } = open.run;
      await this.#journal.close(runId, epoch, { status: "failed", error: { code, message } });
      this.#options.onError(error);
    }
    // The failed job is deleted because it would block the jobs of a later run with the same id.
    const { sourceId, sourceName } = job;
    if (sourceId !== null && sourceName !== null) await this.#boss.deleteJob(sourceName, sourceId);
  }

  /** Opens a run. Reports a damaged run, which the journal has recorded as failed. */
  async #openUndeliverable(runId: string): Promise<OpenRun | undefined> {
    try {
      return await this.#journal.open(runId);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.#options.onError(error);
      return undefined;
    }
  }

  /** Creates the queue for an agent version if it does not exist, and returns its name. */
  async #open(agent: AgentAddress): Promise<string> {
    await this.#create(DEAD_LETTERS, {
      policy: "standard",
      retryLimit: DEAD_LETTER_RETRIES,
      retryDelay: DEAD_LETTER_RETRY_SECONDS,
    });
    const name = queueNameOf(agent);
    await this.#create(name, {
      policy: "key_strict_fifo",
      deadLetter: DEAD_LETTERS,
      retryLimit: this.#options.maxDeliveries - 1,
      retryDelay: 0,
    });
    return name;
  }

  async #create(
    name: string,
    settings: Pick<PgBossQueueSettings, "policy" | "retryLimit" | "retryDelay" | "deadLetter">,
  ): Promise<void> {
    const creating = this.#queues.get(name) ?? this.#boss.createQueue(name, {
      ...settings,
      notify: true,
      heartbeatSeconds: HEARTBEAT_SECONDS,
      expireInSeconds: EXPIRE_SECONDS,
      retentionSeconds: RETENTION_SECONDS,
      deleteAfterSeconds: DELETE_AFTER_SECONDS,
    });
    this.#queues.set(name, creating);
    try {
      await creating;
    } catch (error) {
      this.#queues.delete(name);
      throw error;
    }
  }
}

/**
 * Returns the queue name for an agent version. pg-boss allows letters, digits and `_-./`, and each
 * agent version has a unique name.
 */
export function queueNameOf({ agent, version }: AgentAddress): string {
  const escape = (text: string, allowed: RegExp): string =>
    [...new TextEncoder().encode(text)].map((byte) => {
      const character = String.fromCharCode(byte);
      return allowed.test(character) ? character : `/${byte.toString(16).padStart(2, "0")}`;
    }).join("");
  // The first period in the name marks the end of the agent's name.
  return `${escape(agent, /[\w-]/)}.${escape(version, /[\w.-]/)}`;
}

function readJob({ data }: PgBossJob): JobData {
  const { attempt, runId } = asRecord(data);
  if (typeof runId === "string" && typeof attempt === "number") return { runId, attempt };
  throw AgentError.core("Cannot deliver a run: another program has added or changed the job");
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
