/**
 * An agent whose runs are durable.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { digestOfJson } from "../loop/decisions.ts";
import { isBlocked, isEnded } from "../runs/memory_journal.ts";
import { readRunInput } from "../runs/run_input.ts";
import type { RunPosition } from "../runs/contracts.ts";
import type { RunRecord } from "../runs/run_record.ts";
import type { Runs } from "../runs/runs.ts";
import { AgentError } from "../shared/error.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ModelMessage } from "../shared/model.ts";
import { toStepValue } from "../shared/step_value.ts";
import { callerKeyOf, partyOf, readCaller, sessionKeyOf, toServedMetadata } from "./caller.ts";
import type {
  Caller,
  ServedAgent,
  ServedRun,
  ServedRunFilter,
  ServedRunPage,
  ServedRunStart,
} from "./contracts.ts";
import { conversationOf, earlierOf, findNewest } from "./durable_conversation.ts";
import { KeyedTurns } from "./keyed_turns.ts";
import { collectPage, countRuns, readInParts } from "./list_runs.ts";
import {
  assertSessionId,
  type ListPosition,
  parsePosition,
  readServedFilter,
  readServedStart,
  type ReadStart,
  toMessages,
} from "./read_start.ts";
import { ServedDurableRun, servedIdOf } from "./served_durable_run.ts";
import { StartQueue, type StartQueueLimits } from "./start_queue.ts";

/** Settings of an agent whose runs are durable. */
export interface ServedRunsSettings extends StartQueueLimits {
  /** Name of the agent. */
  readonly agent: string;
}

/**
 * Form of the id of a run, as its caller knows it: the digests of the session and of the request.
 */
const SERVED_ID = /^[\w-]{22}\.[\w-]{22}$/;

/** A session of a caller. */
interface DurableSession {
  readonly caller: Caller;
  readonly sessionId: string;
  /** Text with which the ids of the runs of the session start. */
  readonly prefix: string;
  /** Metadata to store with the run. */
  readonly stored: JsonObject;
}

/** Serves durable runs. Created by `serveRuns`. */
export class ServedRuns implements ServedAgent {
  readonly #runs: Runs;
  readonly #agent: string;
  readonly #queue: StartQueue;
  /** The starts of a session look for a run in progress one after the other. */
  readonly #starts: KeyedTurns;

  constructor(runs: Runs, { agent, ...limits }: ServedRunsSettings) {
    this.#runs = runs;
    this.#agent = agent;
    this.#queue = new StartQueue(limits);
    this.#starts = new KeyedTurns(limits.maxRuns);
  }

  async start(principal: Caller, given: ServedRunStart): Promise<ServedRun> {
    const caller = readCaller(principal);
    const callerKey = callerKeyOf(caller);
    const read = readServedStart(given);
    const { ifBusy, metadata = {}, requestId } = read;
    const sessionId = read.sessionId ??
      (requestId === undefined ? crypto.randomUUID() : await digestOfJson([requestId]));
    // The metadata is copied before the start waits.
    const stored = toServedMetadata({ caller, sessionId, metadata });
    const start = async (): Promise<RunRecord> => {
      const prefix = await this.#prefixOf(callerKey, sessionId);
      const runId = `${prefix}${await digestOfJson([requestId ?? crypto.randomUUID()])}`;
      return await this.#start({ caller, sessionId, prefix, stored }, read, runId);
    };
    const key = sessionKeyOf(callerKey, sessionId);
    const record = ifBusy === "queue"
      ? await this.#queue.use(key, partyOf(caller), start)
      : await start();
    return new ServedDurableRun(record, this.#runs);
  }

  async get(caller: Caller, runId: string): Promise<ServedRun | undefined> {
    const callerKey = callerKeyOf(caller);
    if (!SERVED_ID.test(runId)) return undefined;
    const record = await this.#runs.get(`${callerKey}/${runId}`);
    if (record?.agent !== this.#agent) return undefined;
    return new ServedDurableRun(record, this.#runs);
  }

  async list(caller: Caller, filter: ServedRunFilter = {}): Promise<ServedRunPage> {
    const callerKey = callerKeyOf(caller);
    const { after, sessionId, withTotal, ...conditions } = readServedFilter(filter);
    const position = after === undefined ? undefined : parsePosition(after);
    const prefix = sessionId === undefined
      ? `${callerKey}/`
      : await this.#prefixOf(callerKey, sessionId);
    const page = await collectPage(this.#list(callerKey, prefix, position), conditions);
    if (!withTotal) return page;
    return { ...page, total: await countRuns(this.#list(callerKey, prefix), conditions) };
  }

  async messages(caller: Caller, sessionId: string): Promise<readonly ModelMessage[]> {
    const callerKey = callerKeyOf(caller);
    assertSessionId(sessionId);
    const newest = await findNewest(this.#runs, await this.#prefixOf(callerKey, sessionId));
    if (newest === undefined) return [];
    return isEnded(newest.status) ? conversationOf(newest) : earlierOf(newest);
  }

  /** Starts a run, or waits for the end of the run in progress and tries again. */
  async #start(session: DurableSession, start: ReadStart, runId: string): Promise<RunRecord> {
    const { prefix, sessionId } = session;
    for (;;) {
      const tried = await this.#starts.use(prefix, () => this.#tryStart(session, start, runId));
      if (!tried.isBusy) return tried.run;
      const { run } = tried;
      if (start.ifBusy === "reject") {
        throw AgentError.sessionBusy(sessionId, servedIdOf(run.runId));
      }
      await this.#settle(run);
    }
  }

  /** Starts a run, or returns the run in progress. */
  async #tryStart(
    session: DurableSession,
    start: ReadStart,
    runId: string,
  ): Promise<{ readonly run: RunRecord; readonly isBusy: boolean }> {
    const { prefix } = session;
    const known = start.requestId === undefined ? undefined : await this.#runs.get(runId);
    if (known !== undefined) return { run: assertSameTurn(known, start), isBusy: false };
    let messages = toMessages(start.messages ?? []);
    // A session without an id is new.
    if (start.sessionId !== undefined) {
      const busy = await this.#giveUpWaiting(prefix);
      if (busy !== undefined) return { run: busy, isBusy: true };
      const newest = await findNewest(this.#runs, prefix);
      if (newest !== undefined) messages = conversationOf(newest);
    }
    await this.#create(session, start, { runId, messages });
    const run = await this.#runs.get(runId);
    if (run !== undefined) return { run: assertSameTurn(run, start), isBusy: false };
    throw AgentError.run("run_not_found", "start", { runId, reason: "it was deleted" });
  }

  async #create(
    { caller, stored: metadata }: DurableSession,
    { turn: input }: ReadStart,
    run: { readonly runId: string; readonly messages: readonly ModelMessage[] },
  ): Promise<void> {
    try {
      const party = partyOf(caller);
      await this.#runs.start({ ...run, agent: this.#agent, input, party, metadata });
    } catch (error) {
      // Another process has started the same request with other metadata.
      if (!AgentError.isAgentError(error) || !error.is("run_conflict")) throw error;
    }
  }

  /** Cancels the runs of a session that wait for input. Returns a run that is in progress. */
  async #giveUpWaiting(prefix: string): Promise<RunRecord | undefined> {
    for (const status of ["queued", "running", "waiting"] as const) {
      for (const run of await this.#runs.list({ prefix, status })) {
        if (!isBlocked(run)) return run;
        await this.#runs.cancel(run.runId);
      }
    }
    return undefined;
  }

  /** Waits until a run has ended or waits for input. */
  async #settle({ runId }: RunRecord): Promise<void> {
    try {
      await this.#runs.result(runId, { until: "waiting" });
    } catch (error) {
      if (!AgentError.isAgentError(error) || !error.is("run_not_found")) throw error;
    }
  }

  /** Lists runs, the most recently changed first. */
  async *#list(
    callerKey: string,
    prefix: string,
    from?: ListPosition,
  ): AsyncGenerator<ServedRun, void> {
    const agent = this.#agent;
    const records = readInParts<RunRecord, RunPosition>(
      (limit, after) => this.#runs.list({ agent, prefix, order: "updated", limit, after }),
      from && toRunPosition(callerKey, from),
    );
    for await (const record of records) yield new ServedDurableRun(record, this.#runs);
  }

  async #prefixOf(callerKey: string, sessionId: string): Promise<string> {
    return `${callerKey}/${await digestOfJson([this.#agent, sessionId])}.`;
  }
}

/** @throws {TypeError} If the position does not contain the id of a run. */
function toRunPosition(callerKey: string, { changedAt, id }: ListPosition): RunPosition {
  if (SERVED_ID.test(id)) {
    return { runId: `${callerKey}/${id}`, updatedAt: new Date(changedAt).toISOString() };
  }
  return rejectArgument("filter.after", "the position that the previous page contains", id);
}

/** @throws {AgentError} With code `run_conflict` if the run was started with another message. */
function assertSameTurn(run: RunRecord, { turn }: ReadStart): RunRecord {
  const stored = toStepValue(readRunInput(run.input).turn);
  if (formatSorted(stored) === formatSorted(toStepValue(turn))) return run;
  const reason = '"requestId" is the id of a request with another message';
  throw AgentError.run("run_conflict", "start", { runId: servedIdOf(run.runId), reason });
}
