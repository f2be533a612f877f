/**
 * Decides what a message does to a session.
 *
 * @module
 */

import { toUserMessage } from "../loop/conversation.ts";
import { AgentError } from "../shared/error.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import type { JsonObject } from "../shared/json.ts";
import type { UserTurn } from "../shared/model.ts";
import { toMetadata } from "../shared/run_metadata.ts";
import { toStepValue } from "../shared/step_value.ts";
import type { ActiveRunSettings } from "./run_settings.ts";
import { encodeRunIdPrefix, toStoredRuns } from "./record.ts";
import type { RunExecutor } from "./run_executor.ts";
import type { RunHead } from "../log/run_log.ts";
import type { SessionCache } from "./session_cache.ts";
import { isSameTurn, statusOf } from "./session_state.ts";
import type { readSendOptions } from "./sessions_options.ts";
import type { SessionStorage } from "./storage.ts";

/** A message or decisions for a session. */
export interface SentTurn {
  readonly sessionId: string;
  readonly turn: UserTurn | undefined;
  readonly sent: ReturnType<typeof readSendOptions>;
}

/** Starts, continues and replaces runs. */
export class SessionTurns {
  readonly #storage: SessionStorage;
  readonly #runs: RunExecutor;
  readonly #cache: SessionCache;
  readonly #maxRecords: number;

  constructor(
    runs: RunExecutor,
    { cache, maxRecords, storage }: Pick<ActiveRunSettings, "cache" | "maxRecords" | "storage">,
  ) {
    this.#storage = storage;
    this.#runs = runs;
    this.#cache = cache;
    this.#maxRecords = maxRecords;
  }

  /**
   * Brings a session one step closer to the run that the sender wants.
   *
   * @returns The run, or `undefined` if the state of the session must be read again.
   */
  async advance(message: SentTurn): Promise<RunHead | undefined> {
    const { sent, sessionId, turn } = message;
    const head = await this.#storage.log.head(sessionId);
    if (sent.runId !== undefined && head?.runId !== sent.runId) {
      throw AgentError.sessionNotWaiting(sessionId);
    }
    const isOpen = head?.phase !== "ended" || !sent.regenerate;
    if (head !== undefined && isOpen && isSameTurn(head, turn, sent)) {
      const readable = await this.#runs.findReadable(head, "take_over");
      return readable ?? (head.phase === "ended" ? head : undefined);
    }
    const isOutdated = sent.seenEpoch !== undefined && head?.epoch !== sent.seenEpoch;
    if (head !== undefined && (isOutdated || statusOf(head) === "running")) {
      throw AgentError.sessionBusy(sessionId, head.runId);
    }
    return await this.#begin(message, head);
  }

  /** Starts, continues or gives up the run of a session that is not running. */
  async #begin(
    { sent, sessionId, turn }: SentTurn,
    head: RunHead | undefined,
  ): Promise<RunHead | undefined> {
    const status = statusOf(head);
    const isOpen = head !== undefined && (status === "waiting" || status === "interrupted");
    if (isOpen && await this.#runs.endIfRecorded(head)) return undefined;
    if (isOpen && (turn !== undefined || sent.regenerate)) {
      await this.#runs.giveUp(head, { party: sent.party });
      return undefined;
    }
    const { decisions, signals } = sent;
    if (isOpen) {
      const { metadata, runId, turn, turnId } = head;
      const claim = { runId, turn, turnId, metadata, isNew: false };
      return await this.#runs.start(head, claim, { decisions, signals, party: sent.party });
    }
    if (decisions !== undefined || signals !== undefined) {
      throw AgentError.sessionNotWaiting(sessionId);
    }
    const { metadata, party, turnId } = sent;
    const start = { turnId, party, metadata: metadata === undefined ? {} : toMetadata(metadata) };
    const replaced = sent.regenerate ? await this.#findReplaced(sessionId, turn) : undefined;
    if (replaced === undefined) {
      const count = await this.#storage.records.count(sessionId);
      this.#assertRoom(sessionId, count);
      return await this.#startNew(sessionId, head, { ...start, count, turn });
    }
    const { length } = replaced;
    return await this.#startNew(sessionId, head, {
      count: length - 1,
      turn: replaced.turn,
      ...start,
      prepare: async () => {
        if (await this.#storage.records.removeLast(sessionId, length)) return;
        throw AgentError.sessionConflict(sessionId, length);
      },
    });
  }

  /**
   * Returns the message whose response is replaced, and the number of records. Returns `undefined`
   * if the newest record is not the response to the given message, which then starts a new run.
   */
  async #findReplaced(
    sessionId: string,
    turn: UserTurn | undefined,
  ): Promise<{ readonly turn: UserTurn; readonly length: number } | undefined> {
    const { values } = await this.#cache.load(sessionId);
    const { length } = values;
    const [run] = toStoredRuns(sessionId, values, length - 1);
    const [first] = run?.messages ?? [];
    if (first?.role === "user") {
      const isSame = turn === undefined || formatSorted(toStepValue(first.content)) ===
          formatSorted(toStepValue(toUserMessage(turn).content));
      return isSame ? { turn: first.content, length } : undefined;
    }
    if (turn !== undefined) return undefined;
    throw AgentError.core(`Cannot regenerate in session "${sessionId}": it has no answer`);
  }

  #assertRoom(sessionId: string, count: number): void {
    const maxRecords = this.#maxRecords;
    if (count < maxRecords) return;
    throw AgentError.core(
      `Cannot run in session "${sessionId}": ` +
        `the session has reached the maximum number of records (${maxRecords})`,
    );
  }

  async #startNew(
    sessionId: string,
    head: RunHead | undefined,
    { count, turn, ...start }: {
      readonly count: number;
      readonly turn: UserTurn | undefined;
      readonly turnId: string | undefined;
      readonly metadata: JsonObject;
      readonly party: string | undefined;
      readonly prepare?: () => Promise<void>;
    },
  ): Promise<RunHead | undefined> {
    const runId = `${encodeRunIdPrefix(sessionId)}/${count}`;
    const { metadata, turnId } = start;
    const claim = { runId, turn: toStepValue(turn ?? null), turnId, metadata, isNew: true };
    return await this.#runs.start({ key: sessionId, epoch: head?.epoch ?? 0 }, claim, start);
  }
}
