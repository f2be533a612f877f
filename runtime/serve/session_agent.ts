/**
 * The sessions of callers in one storage.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import type { RunHead, RunHistoryPosition } from "../log/run_log.ts";
import { digestOfJson } from "../loop/decisions.ts";
import { encodeRunIdPrefix, toSessionRecord } from "../session/record.ts";
import type { Sessions } from "../session/sessions.ts";
import type { SessionStorage } from "../session/storage.ts";
import { AgentError } from "../shared/error.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import type { JsonObject } from "../shared/json.ts";
import type { ModelMessage, UserTurn } from "../shared/model.ts";
import { toStepValue } from "../shared/step_value.ts";
import { partyOf, sessionKeyOf, toServedMetadata } from "./caller.ts";
import type { Caller } from "./contracts.ts";
import { readInParts } from "./list_runs.ts";
import { type ListPosition, type ReadStart, toMessages } from "./read_start.ts";
import { readServedId, SessionServedRun, toServedId } from "./session_run.ts";
import type { StartQueue } from "./start_queue.ts";

/** Settings of the sessions in one storage. */
export interface SessionAgentSettings {
  readonly sessions: Sessions;
  readonly storage: SessionStorage;
  readonly queue: StartQueue;
  /** Aborted when the sessions are closed. */
  readonly closed: AbortSignal;
}

/** A session that a run is started in. */
interface StartedSession {
  readonly caller: Caller;
  readonly callerKey: string;
  readonly sessionId: string;
  /** Id under which the session is stored. */
  readonly key: string;
  /** Metadata to store with the run. */
  readonly stored: JsonObject;
}

/** Starts, finds and lists the runs of callers in one storage. */
export class SessionAgent {
  readonly #settings: SessionAgentSettings;

  constructor(settings: SessionAgentSettings) {
    this.#settings = settings;
  }

  /** Starts a run, or returns the run of an earlier start with the same `requestId`. */
  async start(
    { caller, callerKey }: Pick<StartedSession, "caller" | "callerKey">,
    start: ReadStart,
  ): Promise<SessionServedRun> {
    const { ifBusy, messages = [], metadata = {}, requestId, sessionId: given } = start;
    const sessionId = given ??
      (requestId === undefined ? crypto.randomUUID() : await digestOfJson([requestId]));
    const key = sessionKeyOf(callerKey, sessionId);
    // The metadata is copied before the start waits.
    const stored = toServedMetadata({ caller, sessionId, metadata });
    const session = { caller, callerKey, sessionId, key, stored };
    const hasBegun = messages.length > 0 && await this.#begin(key, toMessages(messages));
    try {
      const head = ifBusy === "queue"
        ? await this.#settings.queue.use(key, partyOf(caller), () => this.#start(session, start))
        : await this.#start(session, start);
      return this.#toRun(head);
    } catch (error) {
      // Without a run, nobody would find the messages. A session that has a run is not deleted.
      if (hasBegun) await this.#settings.storage.delete(key, 0);
      throw error;
    }
  }

  /**
   * Adds the beginning of the conversation. Returns `false` for a session with records, which is
   * left as it is.
   */
  async #begin(key: string, messages: readonly ModelMessage[]): Promise<boolean> {
    const runId = `${encodeRunIdPrefix(key)}/0`;
    const record = toSessionRecord(runId, "model_stop", messages);
    return await this.#settings.storage.records.append(key, record, 0);
  }

  async #start(session: StartedSession, start: ReadStart): Promise<RunHead> {
    const { sessions, storage: { log } } = this.#settings;
    const { caller, key, sessionId, stored } = session;
    const { ifBusy, requestId: turnId, turn } = start;
    for (;;) {
      const { known, seenEpoch } = await this.#findRequest(session, start);
      if (known !== undefined) return known;
      try {
        const party = partyOf(caller);
        // Without the epoch, a repeated request with other metadata would start a second run if the
        // first one ends between the two reads.
        const options = defined({ turnId, metadata: stored, party, seenEpoch });
        const { runId } = await sessions.send(key, turn, options);
        const head = await log.find(runId);
        if (head !== undefined) return head;
        const reason = "its session was deleted";
        throw AgentError.run("run_not_found", "start", { runId, reason });
      } catch (error) {
        if (!AgentError.isAgentError(error) || !error.is("session_busy")) throw error;
        const busy = await log.head(key);
        if (busy === undefined || busy.phase !== "running") continue;
        if (turnId !== undefined && busy.turnId === turnId) continue;
        if (ifBusy === "reject") {
          throw AgentError.sessionBusy(sessionId, toServedId(sessionId, busy.runId));
        }
        await log.changed(busy, this.#settings.closed);
      }
    }
  }

  /**
   * Finds the run of an earlier start with the same `requestId`, and the epoch of the newest run.
   *
   * @throws {AgentError} With code `run_conflict` if it was started with another message.
   */
  async #findRequest(
    { key, sessionId }: StartedSession,
    { requestId, turn }: ReadStart,
  ): Promise<{ readonly known?: RunHead | undefined; readonly seenEpoch?: number }> {
    if (requestId === undefined) return {};
    const { log } = this.#settings.storage;
    const newest = await log.head(key);
    if (newest === undefined) return { seenEpoch: 0 };
    const known = newest.turnId === requestId ? newest : await this.#findEarlier(key, requestId);
    if (known === undefined || isSameTurn(known, turn)) return { known, seenEpoch: newest.epoch };
    const reason = '"requestId" is the id of a request with another message';
    throw AgentError.run("run_conflict", "start", {
      runId: toServedId(sessionId, known.runId),
      reason,
    });
  }

  async #findEarlier(key: string, requestId: string): Promise<RunHead | undefined> {
    for await (const head of this.#history(key)) {
      if (head.key === key && head.turnId === requestId) return head;
    }
    return undefined;
  }

  /** Lists runs, the most recently changed first. */
  #history(prefix: string, from?: RunHistoryPosition): AsyncGenerator<RunHead, void> {
    const { log } = this.#settings.storage;
    return readInParts<RunHead, RunHistoryPosition>(
      (limit, after) => log.history(defined({ prefix, limit, after })),
      from,
    );
  }

  /** Returns a run of a caller. */
  async find(callerKey: string, id: string): Promise<SessionServedRun | undefined> {
    const runId = toRunId(callerKey, id);
    const head = runId === undefined ? undefined : await this.#settings.storage.log.find(runId);
    return head && this.#toRun(head);
  }

  /**
   * Lists the runs of a caller, the most recently changed first.
   *
   * @param after Position of the page.
   */
  async *list(
    callerKey: string,
    { after, sessionId = "" }: { readonly after?: ListPosition; readonly sessionId?: string },
  ): AsyncGenerator<SessionServedRun, void> {
    const from = after && toHistoryPosition(callerKey, after);
    const key = sessionKeyOf(callerKey, sessionId);
    for await (const head of this.#history(key, from)) {
      if (sessionId === "" || head.key === key) yield this.#toRun(head);
    }
  }

  #toRun(head: RunHead): SessionServedRun {
    const { closed, sessions, storage: { log } } = this.#settings;
    return new SessionServedRun(head, { sessions, log, closed });
  }
}

/** Returns the id under which a run is stored. */
function toRunId(callerKey: string, id: string): string | undefined {
  const served = readServedId(id);
  if (served === undefined) return undefined;
  return `${encodeRunIdPrefix(sessionKeyOf(callerKey, served.sessionId))}/${served.number}`;
}

/** @throws {TypeError} If the position does not contain the id of a run. */
function toHistoryPosition(
  callerKey: string,
  { changedAt, id }: ListPosition,
): RunHistoryPosition {
  const runId = toRunId(callerKey, id);
  if (runId !== undefined) return { changedAt, runId };
  return rejectArgument("filter.after", "the position that the previous page contains", id);
}

function isSameTurn(head: RunHead, turn: UserTurn): boolean {
  return formatSorted(head.turn) === formatSorted(toStepValue(turn));
}
