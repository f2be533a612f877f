/**
 * Sessions whose runs do not belong to a connection or a process.
 *
 * @module
 */

import { assertNonEmptyString, rejectArgument } from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { defined, isRecord } from "@parley/internal/json";
import { callInBackground, resolveWithin } from "@parley/internal/timers";
import { assertTurn, toUserMessage } from "../loop/conversation.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import { endAgent, makeAgent } from "../agent/make_agent.ts";
import { AgentError } from "../shared/error.ts";
import type { UserTurn } from "../shared/model.ts";
import type { PendingBatch } from "../shared/output.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";
import type { Schema } from "../shared/typed_schema.ts";
import { ActiveRun, type ActiveRunSettings } from "./active_run.ts";
import { readLogEntry } from "./log_entry.ts";
import { type LiveEvent, type LiveRun, readLive } from "./live_run.ts";
import { PartialText } from "./partial_text.ts";
import { encodeRunIdPrefix, readRuns, type StoredSessionRun } from "./record.ts";
import { isInterruptedRun, type RunHead } from "./run_log.ts";
import {
  type AttachOptions,
  readAttachOptions,
  readRecoverOptions,
  readSendOptions,
  readSessionFilter,
  readSessionsOptions,
  readStopOptions,
  type SendOptions,
  type SessionFilter,
  type SessionsOptions,
  type SessionStatus,
  type StopOptions,
} from "./sessions_options.ts";
import type { SessionStorage } from "./storage.ts";

/** State of a session and of its newest run. */
export interface SessionSummary {
  /** Id of the session. */
  readonly sessionId: string;
  /** State of the session. */
  readonly status: SessionStatus;
  /** Id of the newest run. */
  readonly runId: string;
  /** Time of the last change of the state, in milliseconds since the Unix epoch. */
  readonly changedAt: number;
}

/** A run that is not part of its session yet. */
export interface CurrentSessionRun {
  /** Id of the run. */
  readonly runId: string;
  /** Number of times that a process has claimed the session. */
  readonly epoch: number;
  /** The user's message, which a reloaded page must show. */
  readonly turn: UserTurn | undefined;
  /** Id that the client gave the user's message. Absent if the client gave none. */
  readonly turnId?: string;
  /** The tool calls that wait for decisions. Present if the session is waiting. */
  readonly pending?: PendingBatch;
}

/** State of a session, with its conversation. */
export interface SessionState {
  /** State of the session. */
  readonly status: SessionStatus;
  /** Runs that are part of the session, oldest first. */
  readonly runs: readonly StoredSessionRun[];
  /** The run in progress. Absent if the session is idle. */
  readonly current?: CurrentSessionRun;
}

/** Number of entries that are read at once. */
const PAGE = 1000;
/** Delay after which the entries of runs that cannot be read anymore are deleted. */
const PURGE_DELAY_MS = 1000;

/**
 * Opens sessions that any number of processes serve together. See {@linkcode Sessions}.
 *
 * @param options Agent, storage and limits.
 * @throws {TypeError} If an option is missing, unknown or has the wrong type.
 * @throws {RangeError} If a number is out of range.
 *
 * @example Answer a message and read the answer from a second connection
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "shop", model }),
 * });
 * await sessions.send("chat-1", "Hi");
 * let text = "";
 * for await (const { event } of await sessions.attach("chat-1") ?? []) {
 *   if (event.type === "text_delta") text += event.text;
 * }
 * assertEquals(text, "Hello");
 * assertEquals((await sessions.state("chat-1")).runs.length, 1);
 * ```
 */
export function openSessions<S extends Schema>(options: SessionsOptions<S>): Sessions {
  return new Sessions(options);
}

/**
 * Conversations whose runs belong to the session: a run continues if the connection that started it
 * ends, any connection of any process can read it, and another process takes it over if its process
 * stops.
 *
 * A session has one run at a time. The process that executes the run holds a lease, which it
 * renews. When the run ends, its messages become a record of the session, as for `AgentSession`.
 * The run ids of a session are `<session id>/<number of records>`, with the session id encoded by
 * `encodeURIComponent`.
 */
export class Sessions implements AsyncDisposable {
  readonly #storage: SessionStorage;
  readonly #settings: ActiveRunSettings;
  readonly #limits: { readonly maxReaders: number; readonly maxRuns: number };
  readonly #drainMs: number;
  /** Runs that this process executes, with the promise of their end. */
  readonly #active = new Map<ActiveRun, { readonly name: string; readonly end: Promise<void> }>();
  readonly #closed = new AbortController();
  #readers = 0;
  /** Stops the timer after which entries are deleted. */
  #purge: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** @ignore Use {@linkcode openSessions}. */
  constructor(options: SessionsOptions<Schema>) {
    const read = readSessionsOptions(options);
    const { agent, agentTimeoutMs, drainMs, maxReaders, maxRuns, storage } = read;
    const onError = createErrorReporter("openSessions", read.onError);
    const limits = { timeoutMs: agentTimeoutMs, onError };
    this.#storage = storage;
    this.#limits = { maxReaders, maxRuns };
    this.#drainMs = drainMs;
    const { flushMs, keepEndedMs, leaseMs, maxChars, maxRecords, maxRunChars, maxRunEvents } = read;
    this.#settings = {
      storage,
      make: (sessionId, signal) =>
        makeAgent({ name: "agent", make: () => agent(sessionId) }, limits, signal),
      terminate: (made) => endAgent(made, limits),
      leaseMs,
      keepEndedMs,
      limits: { flushMs, maxEvents: maxRunEvents, maxChars: maxRunChars, retryMs: leaseMs },
      partialText: read.partialText,
      maxRecords,
      maxChars,
      onError,
    };
  }

  /**
   * Starts a run for a message, or continues the newest run with decisions.
   *
   * A different message gives up a run that waits or was interrupted: its finished iterations and
   * its text become part of the session.
   *
   * @param sessionId Id of the session; a non-empty string.
   * @param turn Message from the user: text or parts. If omitted, the newest run continues: with
   * the `decisions` if it waits, otherwise from its last recorded step. If no run is in progress,
   * the model answers a conversation that ends with a user message.
   * @param options Id of the message, and decisions.
   * @returns The run. The run has started, whether or not it is read.
   * @throws {AgentError} With code `session_busy` if a run is in progress.
   * @throws {AgentError} With code `capacity_exceeded` if this process executes too many runs.
   * @throws {AgentError} With code `core` if there is no run for the decisions, no answer to
   * replace, the session exceeds a limit, or the storage fails.
   * @throws {TypeError} If an argument has the wrong type.
   */
  async send(
    sessionId: string,
    turn: UserTurn | undefined,
    options: SendOptions = {},
  ): Promise<LiveRun> {
    assertNonEmptyString("sessionId", sessionId);
    assertTurn("turn", turn);
    const sent = readSendOptions(options);
    if (turn !== undefined && sent.decisions !== undefined) {
      rejectArgument("options.decisions", "omitted for a message", sent.decisions);
    }
    for (;;) {
      this.#assertOpen();
      const head = await this.#storage.log.head(sessionId);
      const isOpen = head?.phase !== "ended" || !sent.regenerate;
      if (head !== undefined && isOpen && isSameTurn(head, turn, sent.turnId)) {
        const live = await this.#attach(head, readAttachOptions({}));
        if (live !== undefined || head.phase === "ended") {
          return live ?? this.#live(head, readAttachOptions({}));
        }
        continue;
      }
      const status = statusOf(head);
      if (head !== undefined && status === "running") {
        throw AgentError.sessionBusy(sessionId, head.runId);
      }
      const claimed = await this.#advance(sessionId, turn, sent, head, status);
      if (claimed !== undefined) return this.#live(claimed, readAttachOptions({}));
    }
  }

  /**
   * Attaches to the newest run of a session: a run that is in progress, waits, or has ended a
   * moment ago. By default, takes over a run whose process has stopped.
   *
   * @param sessionId Id of the session; a non-empty string.
   * @param options Position of the reader, and signal.
   * @returns The run, or `undefined` if there is no run to read.
   * @throws {AgentError} With code `core` if the storage fails.
   * @throws {TypeError} If an argument has the wrong type.
   */
  async attach(sessionId: string, options: AttachOptions = {}): Promise<LiveRun | undefined> {
    assertNonEmptyString("sessionId", sessionId);
    const reading = readAttachOptions(options);
    this.#assertOpen();
    const head = await this.#storage.log.head(sessionId);
    return head && await this.#attach(head, reading);
  }

  /**
   * Returns the conversation of a session and the run in progress.
   *
   * @param sessionId Id of the session; a non-empty string.
   * @throws {AgentError} With code `core` if the storage fails or a record is damaged.
   */
  async state(sessionId: string): Promise<SessionState> {
    assertNonEmptyString("sessionId", sessionId);
    // The run is read first: if it ends meanwhile, it is part of the records.
    const head = await this.#storage.log.head(sessionId);
    const records = await this.#storage.records.load(sessionId);
    const prefix = encodeRunIdPrefix(sessionId);
    const runs = readRuns(records, (index) => `${prefix}/${index}`);
    const status = statusOf(head);
    const isRecorded = runs.some(({ runId }) => runId === head?.runId);
    if (head === undefined || status === "idle" || isRecorded) return { status: "idle", runs };
    const { epoch, result, runId, turnId } = head;
    const pending = status === "waiting" ? readPending(result) : undefined;
    return {
      status,
      runs,
      current: {
        runId,
        epoch,
        turn: readStoredTurn(head.key, head.turn),
        ...turnId !== undefined && { turnId },
        ...pending && { pending },
      },
    };
  }

  /**
   * Stops the run of a session, wherever it is executed. Resolves when its messages, including the
   * text of an unfinished response, are part of the session.
   *
   * @param sessionId Id of the session; a non-empty string.
   * @param options Maximum time to wait.
   * @returns `"not_running"` if no run is in progress.
   * @throws {AgentError} With code `core` if the storage fails, or the process that executes the
   * run does not respond in time.
   */
  async stop(sessionId: string, options: StopOptions = {}): Promise<"stopped" | "not_running"> {
    assertNonEmptyString("sessionId", sessionId);
    const { waitMs } = readStopOptions(options);
    const limit = AbortSignal.timeout(Math.max(1, waitMs));
    const { log } = this.#storage;
    let isStopping = false;
    for (;;) {
      this.#assertOpen();
      const head = await log.head(sessionId);
      if (head === undefined || head.phase === "ended") {
        return isStopping ? "stopped" : "not_running";
      }
      if (!head.isLeased) {
        if (await this.#giveUp(head)) return "stopped";
        continue;
      }
      if (!head.isStopping && !await log.requestStop(sessionId, head.epoch)) continue;
      isStopping = true;
      for (const [run, { name }] of this.#active) if (name === nameOf(head)) run.stop();
      if (limit.aborted) {
        throw AgentError.core(
          `Cannot stop session "${sessionId}": its process did not respond in ${waitMs} ms; ` +
            "the run ends when the process reads the request, or when its lease expires",
        );
      }
      await log.changed(head, limit);
    }
  }

  /**
   * Takes over interrupted runs, for example when a server starts. Runs that nobody takes over
   * continue as soon as somebody attaches to them.
   *
   * @param options Maximum number of runs; 100 by default.
   * @returns Number of runs that this process has taken over.
   * @throws {AgentError} With code `core` if the storage fails.
   */
  async recover(options: { readonly limit?: number } = {}): Promise<number> {
    const { limit } = readRecoverOptions(options);
    this.#assertOpen();
    const heads = await this.#storage.log.list({ isInterrupted: true, limit });
    const free = this.#limits.maxRuns - this.#active.size;
    let recovered = 0;
    for (const head of heads.slice(0, Math.max(0, free))) {
      if (await this.#takeOver(head)) recovered++;
    }
    return recovered;
  }

  /**
   * Lists sessions that have had a run, in the order of their ids.
   *
   * @param filter State, and position of the page.
   * @throws {AgentError} With code `core` if the storage fails.
   */
  async list(filter: SessionFilter = {}): Promise<readonly SessionSummary[]> {
    const { after, limit, status } = readSessionFilter(filter);
    const heads = await this.#storage.log.list(
      defined({ limit, after, ...status && filterOf(status) }),
    );
    return heads.map((head) => {
      const { changedAt, key: sessionId, runId } = head;
      return { sessionId, runId, changedAt, status: statusOf(head) };
    });
  }

  /**
   * Stops accepting messages, lets runs finish for `drainMs`, releases the others so that another
   * process continues them, ends all readers, and disposes of the storage. Later calls return the
   * same promise.
   */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** Calls {@linkcode Sessions.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const ends = (): Promise<unknown> =>
      Promise.all([...this.#active.values()].map(({ end }) => end));
    if (this.#active.size > 0) await resolveWithin(ends(), this.#drainMs);
    this.#closed.abort(AgentError.core("The sessions are closed"));
    for (const run of this.#active.keys()) run.release();
    await ends();
    this.#purge?.();
    await this.#storage[Symbol.asyncDispose]();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw AgentError.core("Cannot use the sessions: closed");
  }

  /**
   * Brings a session that is not running one step closer to the run that the caller wants.
   *
   * @returns The claimed run, or `undefined` if the caller must look at the session again.
   */
  async #advance(
    sessionId: string,
    turn: UserTurn | undefined,
    sent: ReturnType<typeof readSendOptions>,
    head: RunHead | undefined,
    status: SessionStatus,
  ): Promise<RunHead | undefined> {
    const isOpen = head !== undefined && (status === "waiting" || status === "interrupted");
    if (isOpen && await this.#endIfRecorded(head)) return undefined;
    if (isOpen && (turn !== undefined || sent.regenerate)) {
      await this.#giveUp(head);
      return undefined;
    }
    const { decisions } = sent;
    if (isOpen) return await this.#start(head, claimOf(head, false), { decisions });
    if (decisions !== undefined) {
      throw AgentError.core(
        `Cannot apply the decisions in session "${sessionId}": its run does not wait for a decision`,
      );
    }
    const replaced = sent.regenerate ? await this.#findReplaced(sessionId, turn) : undefined;
    if (replaced === undefined) {
      const count = await this.#storage.records.count(sessionId);
      this.#assertRoom(sessionId, count);
      return await this.#startNew(sessionId, head, { count, turn, turnId: sent.turnId });
    }
    const { length } = replaced;
    return await this.#startNew(sessionId, head, {
      count: length - 1,
      turn: replaced.turn,
      turnId: sent.turnId,
      prepare: async () => {
        if (await this.#storage.records.removeLast(sessionId, length)) return;
        throw AgentError.sessionConflict(sessionId, length);
      },
    });
  }

  /**
   * Returns the message whose answer is replaced, and the number of records. Returns `undefined` if
   * the newest record is not the answer to the given message, which then starts a new run.
   */
  async #findReplaced(
    sessionId: string,
    turn: UserTurn | undefined,
  ): Promise<{ readonly turn: UserTurn; readonly length: number } | undefined> {
    const { runs } = await this.state(sessionId);
    const [first] = runs.at(-1)?.messages ?? [];
    if (first?.role === "user") {
      const isSame = turn === undefined || formatSorted(toStepValue(first.content)) ===
          formatSorted(toStepValue(toUserMessage(turn).content));
      return isSame ? { turn: first.content, length: runs.length } : undefined;
    }
    if (turn !== undefined) return undefined;
    throw AgentError.core(`Cannot regenerate in session "${sessionId}": it has no answer`);
  }

  #assertRoom(sessionId: string, count: number): void {
    const { maxRecords } = this.#settings;
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
      readonly prepare?: () => Promise<void>;
    },
  ): Promise<RunHead | undefined> {
    const runId = `${encodeRunIdPrefix(sessionId)}/${count}`;
    const claim = { runId, turn: toStepValue(turn ?? null), turnId: start.turnId, isNew: true };
    return await this.#start({ key: sessionId, epoch: head?.epoch ?? 0 }, claim, start);
  }

  /** Claims a run and starts to execute it. Returns `undefined` if another process was faster. */
  async #start(
    { epoch, key }: Pick<RunHead, "key" | "epoch">,
    claim: Pick<RunHead, "runId" | "turn" | "turnId"> & { readonly isNew: boolean },
    { decisions, prepare }: {
      readonly decisions?: SendOptions["decisions"];
      readonly prepare?: () => Promise<void>;
    } = {},
  ): Promise<RunHead | undefined> {
    const { maxRuns } = this.#limits;
    if (this.#active.size >= maxRuns) throw AgentError.capacityExceeded("runs", maxRuns);
    const turn = readStoredTurn(key, claim.turn);
    const { leaseMs } = this.#settings;
    const head = await this.#storage.log.claim(key, { ...claim, leaseMs, seenEpoch: epoch });
    if (head === undefined) return undefined;
    void this.#track(head, (run) => run.execute({ turn, decisions, prepare }));
    return head;
  }

  /** Executes a claimed run, which never rejects. */
  #track(head: RunHead, work: (run: ActiveRun) => Promise<void>): Promise<void> {
    const run = new ActiveRun(head, this.#settings);
    const end = work(run).finally(() => {
      this.#active.delete(run);
      this.#purgeLater();
    });
    this.#active.set(run, { name: nameOf(head), end });
    return end;
  }

  /** Deletes the entries of ended runs when they cannot be read anymore. */
  #purgeLater(): void {
    if (this.#purge !== undefined || this.#closing !== undefined) return;
    const purge = async (): Promise<void> => {
      this.#purge = undefined;
      await this.#storage.log.purge();
    };
    const ms = this.#settings.keepEndedMs + PURGE_DELAY_MS;
    this.#purge = callInBackground(() => void purge().catch(this.#settings.onError), ms);
  }

  async #attach(
    head: RunHead,
    reading: ReturnType<typeof readAttachOptions>,
  ): Promise<LiveRun | undefined> {
    if (!head.isReadable) return undefined;
    if (!isInterruptedRun(head)) return this.#live(head, reading);
    if (reading.onInterrupted === "report") return undefined;
    await this.#takeOver(head);
    const current = await this.#storage.log.head(head.key);
    return current?.isReadable ? this.#live(current, reading) : undefined;
  }

  /** Continues an interrupted run. Returns `false` if another process was faster. */
  async #takeOver(head: RunHead): Promise<boolean> {
    if (await this.#endIfRecorded(head)) return false;
    if (this.#storage.steps === undefined) return await this.#giveUp(head, true);
    return await this.#start(head, claimOf(head, false)) !== undefined;
  }

  /**
   * Ends a run that is part of the session already: its process has stopped between adding the
   * record and ending the run.
   */
  async #endIfRecorded(head: RunHead): Promise<boolean> {
    const { epoch, key, runId } = head;
    const { log, records, steps } = this.#storage;
    if (runId === `${encodeRunIdPrefix(key)}/${await records.count(key)}`) return false;
    const { leaseMs } = this.#settings;
    const claimed = await log.claim(key, { ...claimOf(head, false), leaseMs, seenEpoch: epoch });
    if (claimed === undefined) return true;
    await log.finish(key, claimed.epoch, { phase: "ended", entries: [], keepMs: 0, result: null });
    await steps?.delete(key);
    return true;
  }

  /**
   * Adds the finished iterations and the text of a run that waits or was interrupted to the
   * session. Returns `false` if another process was faster.
   */
  async #giveUp(head: RunHead, isReadable = false): Promise<boolean> {
    const { key } = head;
    if (await this.#endIfRecorded(head)) return true;
    const turn = readStoredTurn(key, head.turn);
    const text = await this.#partialTextOf(head);
    const { leaseMs } = this.#settings;
    const claimed = await this.#storage.log.claim(key, {
      ...claimOf(head, false),
      leaseMs,
      seenEpoch: head.epoch,
    });
    if (claimed === undefined) return false;
    await this.#track(claimed, (run) => run.giveUp({ turn, text, isReadable }));
    return true;
  }

  async #partialTextOf({ count, epoch, first, key }: RunHead): Promise<string> {
    const partial = new PartialText();
    for (let from = first; from < count; from += PAGE) {
      for (const entry of await this.#storage.log.read(key, epoch, { from, limit: PAGE })) {
        const event = readLogEntry(entry);
        if (typeof event !== "string") partial.add(event);
      }
    }
    return partial.text;
  }

  #live(
    head: RunHead,
    { after, onInterrupted, signal, until }: ReturnType<typeof readAttachOptions>,
  ): LiveRun {
    const { log } = this.#storage;
    const { epoch, key: sessionId, runId, turnId } = head;
    const start = (detached: AbortSignal): AsyncGenerator<LiveEvent, void> => {
      const signals = [detached, this.#closed.signal, ...signal ? [signal] : []];
      return readLive(head, {
        log,
        after,
        until,
        signal: AbortSignal.any(signals),
        onInterrupted: (head) => this.#continueFor(head, onInterrupted),
        onRead: () => this.#addReader(),
      });
    };
    return {
      sessionId,
      runId,
      epoch,
      turn: readStoredTurn(head.key, head.turn),
      ...turnId !== undefined && { turnId },
      [Symbol.asyncIterator]: () => detachable(start),
    };
  }

  /** Continues the run that a reader reads. */
  async #continueFor(
    head: RunHead,
    mode: AttachOptions["onInterrupted"],
  ): Promise<"look" | "wait" | "end"> {
    if (mode === "report" || this.#closing !== undefined) return "end";
    // The event loop was blocked for longer than the lease, which will be renewed.
    if (this.#isActive(head)) return "wait";
    await this.#takeOver(head);
    return "look";
  }

  #isActive(head: RunHead): boolean {
    const name = nameOf(head);
    return this.#active.values().some((run) => run.name === name);
  }

  #addReader(): () => void {
    const { maxReaders } = this.#limits;
    if (this.#readers >= maxReaders) throw AgentError.capacityExceeded("readers", maxReaders);
    this.#readers++;
    return () => {
      this.#readers--;
    };
  }
}

/** Returns an iterator that can be closed while it waits. */
function detachable(
  start: (detached: AbortSignal) => AsyncGenerator<LiveEvent, void>,
): AsyncIterator<LiveEvent, void> {
  const controller = new AbortController();
  const events = start(controller.signal);
  return {
    next: () => events.next(),
    return: async () => {
      controller.abort();
      return await events.return();
    },
  };
}

function statusOf(head: RunHead | undefined): SessionStatus {
  if (head === undefined || head.phase === "ended") return "idle";
  if (head.phase === "waiting") return "waiting";
  return head.isLeased ? "running" : "interrupted";
}

/** Returns the filter for the log. */
function filterOf(status: SessionStatus): object {
  switch (status) {
    case "idle":
      return { phase: "ended" };
    case "waiting":
      return { phase: "waiting" };
    case "running":
      return { phase: "running", isInterrupted: false };
    case "interrupted":
      return { isInterrupted: true };
  }
}

/** Returns true if a message is a repetition of the message that started the newest run. */
function isSameTurn(
  head: RunHead,
  turn: UserTurn | undefined,
  turnId: string | undefined,
): boolean {
  return turn !== undefined && turnId !== undefined && head.turnId === turnId &&
    formatSorted(head.turn) === formatSorted(toStepValue(turn));
}

function claimOf({ runId, turn, turnId }: RunHead, isNew: boolean) {
  return { runId, turn, turnId, isNew };
}

function nameOf({ epoch, key }: RunHead): string {
  return `${epoch} ${key}`;
}

/** Returns the user's message of a run. */
function readStoredTurn(key: string, turn: unknown): UserTurn | undefined {
  const value = fromStepValue(turn) ?? undefined;
  try {
    assertTurn("turn", value);
    return value;
  } catch (cause) {
    throw AgentError.core(`Cannot read the message of session "${key}": it is damaged`, { cause });
  }
}

function readPending(result: unknown): PendingBatch | undefined {
  const value = fromStepValue(result);
  // The batch was written by `ActiveRun`.
  return isRecord(value) && isRecord(value.pending)
    ? value.pending as unknown as PendingBatch
    : undefined;
}
