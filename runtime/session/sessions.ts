/**
 * Sessions whose runs do not belong to a connection or a process.
 *
 * @module
 */

import { assertNonEmptyString, rejectArgument } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { assertTurn } from "../loop/conversation.ts";
import { AgentError } from "../shared/error.ts";
import type { UserTurn } from "../shared/model.ts";
import type { Schema } from "../shared/typed_schema.ts";
import type { LiveRun } from "../log/live_run.ts";
import { isSameRun, type RunHead } from "../log/run_log.ts";
import { RunExecutor } from "./run_executor.ts";
import { toRunSettings } from "./run_settings.ts";
import { RunReaders } from "./run_readers.ts";
import {
  filterOf,
  readPending,
  readStoredTurn,
  type SessionRun,
  type SessionState,
  type SessionSummary,
  statusOf,
  toSessionRun,
} from "./session_state.ts";
import { toStoredRuns } from "./record.ts";
import {
  readSessionFilter,
  readSessionRunFilter,
  type SessionFilter,
  type SessionRunFilter,
} from "./session_filters.ts";
import {
  type AttachOptions,
  readAttachOptions,
  readRecoverOptions,
  readSendOptions,
  readSessionsOptions,
  readStopOptions,
  type SendOptions,
  type SessionsOptions,
  type StopOptions,
} from "./sessions_options.ts";
import { SessionCache } from "./session_cache.ts";
import { SessionTurns } from "./session_turns.ts";
import type { SessionStorage } from "./storage.ts";

/**
 * Conversations whose runs belong to the session: a run continues if the connection that started it
 * ends, any connection of any process can read it, and another process takes it over if its process
 * stops. Created by {@linkcode openSessions}.
 *
 * A session exists as soon as it has had a message. It has one run at a time. The process that
 * executes the run holds a lease, which it renews. When the run ends, is stopped or fails, its
 * messages become a record of the session, as for `AgentSession`. The run ids of a session are
 * `<session id>/<number of records>`, with the session id encoded by `encodeURIComponent`.
 *
 * The methods do not check who calls them: a server must check that the user may use the session.
 *
 * @example Stop a run, and read the state of its session
 * ```ts
 * import { type Tool, ToolLoopAgent } from "@parley/runtime";
 * import { memoryStorage, openSessions } from "@parley/runtime/session";
 * import { createGate, scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const gate = createGate(); // is never opened
 * const look: Tool = {
 *   name: "look",
 *   inputSchema: { type: "object" },
 *   execute: () => gate.wait(),
 * };
 * const model = scriptedModel([{ calls: [{ toolName: "look" }] }]);
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "shop", model, tools: [look] }),
 * });
 * await sessions.send("chat-1", "What does the tea cost?");
 * assertEquals((await sessions.state("chat-1")).status, "running");
 * assertEquals(await sessions.stop("chat-1"), "stopped");
 * const { runs, status } = await sessions.state("chat-1");
 * assertEquals([status, runs[0]?.stopReason], ["idle", "aborted"]);
 * ```
 */
export class Sessions implements AsyncDisposable {
  readonly #storage: SessionStorage;
  readonly #runs: RunExecutor;
  readonly #readers: RunReaders;
  readonly #turns: SessionTurns;
  readonly #cache: SessionCache;
  readonly #drainMs: number;
  readonly #closed = new AbortController();
  #closing: Promise<void> | undefined;

  /** @ignore Use {@linkcode openSessions}. */
  constructor(options: SessionsOptions<Schema>) {
    const read = readSessionsOptions(options);
    const { drainMs, maxReaders, maxRuns, storage } = read;
    const { maxPartyRuns = Math.max(Math.floor(maxRuns / 10), 1) } = read;
    const { maxSessionReaders = Math.max(Math.floor(maxReaders / 10), 10) } = read;
    this.#storage = storage;
    this.#drainMs = drainMs;
    this.#cache = new SessionCache(storage.records, read);
    const settings = toRunSettings(read, this.#cache);
    this.#runs = new RunExecutor(settings, { maxRuns, maxPartyRuns });
    this.#turns = new SessionTurns(this.#runs, settings);
    const { signal } = this.#closed;
    const limits = { maxReaders, maxOwnerReaders: maxSessionReaders, owner: "session" };
    this.#readers = new RunReaders(this.#runs, { ...limits, log: storage.log, signal });
  }

  /**
   * Starts a run for a message, or continues the newest run with decisions.
   *
   * The message of the newest run, with the same `turnId` and metadata, attaches to that run, and
   * starts nothing. For another message, the effect depends on the state of the session:
   *
   * - `"idle"`: a run starts.
   * - `"running"`: the message is rejected. Messages are not queued.
   * - `"waiting"`: the waiting run is given up, and a run starts. The calls that wait are not
   *   executed.
   * - `"interrupted"`: the interrupted run is given up, and a run starts.
   *
   * The finished iterations of a run that is given up, and the text of its unfinished response,
   * become part of the session.
   *
   * @param sessionId Id of the session; a non-empty string.
   * @param turn Message from the user: text or parts. If omitted, the newest run continues: with
   * the `decisions` and `signals` if it waits, otherwise from its last recorded step. If no run is
   * in progress, the model responds to a conversation that ends with a user message.
   * @param options Id of the message, metadata and party of the run, decisions and signals.
   * @returns The run. The run has started, whether or not it is read.
   * @throws {AgentError} With code `session_busy` if a run is in progress, or if `seenEpoch` is not
   * the epoch of the newest run. The details contain its `runId`.
   * @throws {AgentError} With code `capacity_exceeded` if this process executes too many runs, in
   * total or for the party; or, with `reserveReader`, if there are too many readers. The details
   * name the limit.
   * @throws {AgentError} With code `session_not_waiting` if no run waits for the input.
   * @throws {AgentError} With code `sessions_closed` if the sessions are closed.
   * @throws {AgentError} With code `core` if there is no response to replace, the session exceeds a
   * limit, or the storage fails.
   * @throws {TypeError} If an argument has the wrong type, or a message is passed with decisions.
   */
  async send(
    sessionId: string,
    turn: UserTurn | undefined,
    options: SendOptions = {},
  ): Promise<LiveRun> {
    assertNonEmptyString("sessionId", sessionId);
    assertTurn("turn", turn);
    const sent = readSendOptions(options);
    const known = (["decisions", "signals", "runId"] as const).find((name) => sent[name]);
    if (turn !== undefined && known !== undefined) {
      rejectArgument(`options.${known}`, "omitted for a message", sent[known]);
    }
    if (turn === undefined && !sent.regenerate && sent.metadata !== undefined) {
      rejectArgument("options.metadata", "omitted for a run that continues", sent.metadata);
    }
    const place = sent.reserveReader ? this.#readers.reserve(sessionId) : undefined;
    try {
      for (;;) {
        const head = await this.#runs.during(() => this.#turns.advance({ sessionId, turn, sent }));
        if (head !== undefined) return this.#readers.open(head, readAttachOptions({}), place);
      }
    } catch (error) {
      place?.leave();
      throw error;
    }
  }

  /**
   * Attaches to the newest run of a session: a run that is in progress, waits, or has ended a
   * moment ago (`keepEndedMs`). By default, takes over a run whose process has stopped.
   *
   * The events are read in a loop over the run. The loop ends when the run ends or waits, and when
   * the sessions are closed. It rejects with an `AgentError` with code `capacity_exceeded` if this
   * process or the session has too many readers, or if the run must be taken over and this process
   * executes too many runs; and with code `core` if the storage fails. If the log does not have the
   * cursor `after`, all events follow a `log_reset`.
   *
   * @param sessionId Id of the session; a non-empty string.
   * @param options Position of the reader, and signal.
   * @returns The run, or `undefined` if there is no run to read.
   * @throws {AgentError} With code `core` if the storage fails.
   * @throws {AgentError} With code `sessions_closed` if the sessions are closed.
   * @throws {AgentError} With code `capacity_exceeded` if a run must be taken over, and this
   * process executes too many runs.
   * @throws {TypeError} If an argument has the wrong type, or `after` is not a cursor.
   */
  async attach(sessionId: string, options: AttachOptions = {}): Promise<LiveRun | undefined> {
    assertNonEmptyString("sessionId", sessionId);
    const reading = readAttachOptions(options);
    return await this.#runs.during(async () => {
      const head = await this.#storage.log.head(sessionId);
      const found = head && await this.#runs.findReadable(head, reading.onInterrupted);
      return found && this.#readers.open(found, reading);
    });
  }

  /**
   * Returns the conversation of a session and the run in progress. For a session without messages,
   * the status is `"idle"` and there are no runs.
   *
   * @param sessionId Id of the session; a non-empty string.
   * @throws {AgentError} With code `core` if the storage fails or a record is damaged.
   */
  async state(sessionId: string): Promise<SessionState> {
    assertNonEmptyString("sessionId", sessionId);
    // The run is read first: if it ends meanwhile, it is part of the records.
    const head = await this.#storage.log.head(sessionId);
    const { values } = await this.#cache.load(sessionId);
    const runs = toStoredRuns(sessionId, values);
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
   * @param options Id of the run, and maximum time to wait.
   * @returns `"not_running"` if no run is in progress, or another run than the given one.
   * @throws {AgentError} With code `core` if the storage fails, the process that executes the run
   * does not respond in time, or the agent of an interrupted run cannot be created.
   * @throws {AgentError} With code `sessions_closed` if the sessions are closed.
   * @throws {AgentError} With code `capacity_exceeded` if a run that no process executes must be
   * ended, and this process executes too many runs.
   */
  async stop(sessionId: string, options: StopOptions = {}): Promise<"stopped" | "not_running"> {
    assertNonEmptyString("sessionId", sessionId);
    const { runId, waitMs } = readStopOptions(options);
    const limit = AbortSignal.timeout(Math.max(1, waitMs));
    const { log } = this.#storage;
    let stopping: RunHead | undefined;
    for (;;) {
      const head = await this.#runs.during(() => log.head(sessionId));
      // The next run may have started before this call has seen the end of the run.
      if (stopping !== undefined && !isSameRun(stopping, head)) return "stopped";
      const isOther = runId !== undefined && head?.runId !== runId;
      if (head === undefined || head.phase === "ended" || isOther) {
        return stopping === undefined ? "not_running" : "stopped";
      }
      if (!head.isLeased) {
        if (await this.#runs.giveUp(head)) return "stopped";
        continue;
      }
      const { epoch, isStopping: isAsked } = head;
      if (!isAsked && !await this.#runs.during(() => log.requestStop(sessionId, epoch))) continue;
      stopping = head;
      this.#runs.stop(head);
      if (limit.aborted) {
        throw AgentError.core(
          `Cannot stop session "${sessionId}": its process did not respond in ${waitMs} ms; ` +
            "the run ends when the process reads the request, or when its lease expires",
        );
      }
      await log.changed(head, AbortSignal.any([limit, this.#closed.signal]));
    }
  }

  /**
   * Takes over interrupted runs, for example when a server starts. An interrupted run that is not
   * taken over continues when a reader attaches to it. A run that cannot be taken over is reported
   * to `onError`. Ends early if this process executes the maximum number of runs.
   *
   * @param options Maximum number of runs; 100 by default.
   * @returns Number of runs that this process has taken over.
   * @throws {AgentError} With code `core` if the runs cannot be listed.
   * @throws {AgentError} With code `sessions_closed` if the sessions are closed.
   */
  async recover(options: { readonly limit?: number } = {}): Promise<number> {
    const { limit } = readRecoverOptions(options);
    return await this.#runs.during(async () => {
      const heads = await this.#storage.log.list({ isInterrupted: true, limit });
      return await this.#runs.recover(heads);
    });
  }

  /**
   * Lists sessions that have had a run, in the order of their ids. To read the next page, pass the
   * id of the last session as `after`.
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
   * Returns the state of a run of a session: of the newest run, or of an earlier run whose state is
   * kept (`keepRuns`, `keepRunsMs`). Returns `undefined` for other runs. The messages of a run that
   * has ended are part of the session.
   *
   * @param runId Id of the run; a non-empty string.
   * @throws {AgentError} With code `core` if the storage fails.
   *
   * @example Read the state of a run
   * ```ts
   * import { ToolLoopAgent } from "@parley/runtime";
   * import { memoryStorage, openSessions } from "@parley/runtime/session";
   * import { scriptedModel } from "@parley/runtime/testing";
   * import { assertEquals } from "@std/assert";
   *
   * await using sessions = openSessions({
   *   storage: memoryStorage(),
   *   agent: () => new ToolLoopAgent({ name: "shop", model: scriptedModel([{ text: "Hello" }]) }),
   * });
   * const started = await sessions.send("chat-1", "Hi", { metadata: { channel: "web" } });
   * for await (const _ of started);
   * const run = await sessions.run(started.runId);
   * assertEquals([run?.status, run?.stopReason], ["ended", "model_stop"]);
   * assertEquals(run?.metadata, { channel: "web" });
   * ```
   */
  async run(runId: string): Promise<SessionRun | undefined> {
    assertNonEmptyString("runId", runId);
    const head = await this.#storage.log.find(runId);
    return head && toSessionRun(head);
  }

  /**
   * Lists the newest runs of sessions and the earlier runs whose states are kept, the most recently
   * changed first. To read the next page, pass the last run as `after`. A run that changes in the
   * meantime moves to the front.
   *
   * @param filter Sessions, and position of the page.
   * @throws {AgentError} With code `core` if the storage fails.
   */
  async runs(filter: SessionRunFilter = {}): Promise<readonly SessionRun[]> {
    const { after, limit, prefix } = readSessionRunFilter(filter);
    const heads = await this.#storage.log.history(defined({ after, limit, prefix }));
    return heads.map(toSessionRun);
  }

  /**
   * Deletes a session: its messages, runs and events. A run that waits or was interrupted is
   * deleted with the session. The loops of its readers end.
   *
   * @param sessionId Id of the session; a non-empty string.
   * @throws {AgentError} With code `session_busy` if a run is in progress; stop it first.
   * @throws {AgentError} With code `core` if the storage fails.
   * @throws {AgentError} With code `sessions_closed` if the sessions are closed.
   */
  async delete(sessionId: string): Promise<void> {
    assertNonEmptyString("sessionId", sessionId);
    await this.#runs.during(async () => {
      for (;;) {
        const head = await this.#storage.log.head(sessionId);
        if (head?.isLeased) throw AgentError.sessionBusy(sessionId, head.runId);
        if (await this.#storage.delete(sessionId, head?.epoch ?? 0)) return;
      }
    });
  }

  /**
   * Stops accepting messages, lets runs finish for `drainMs`, releases the others so that another
   * process continues them, ends all readers, and disposes of the storage. A message that is being
   * accepted starts no run in this process. Later calls return the same promise.
   */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** Calls {@linkcode Sessions.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#runs.drain(this.#drainMs);
    this.#closed.abort(AgentError.sessionsClosed());
    await this.#runs.release();
    await this.#storage[Symbol.asyncDispose]();
  }
}
