/**
 * An agent whose conversations are sessions.
 *
 * @module
 */

import { createErrorReporter } from "@parley/internal/error-reporter";
import { defined } from "@parley/internal/json";
import { Quota } from "@parley/internal/quota";
import { callInBackground } from "@parley/internal/timers";
import { openSessions } from "../session/open_sessions.ts";
import type { Sessions } from "../session/sessions.ts";
import type { RunContext } from "../shared/run_context.ts";
import { AgentError } from "../shared/error.ts";
import type { ModelMessage } from "../shared/model.ts";
import { callerKeyOf, partyOf, readCaller, readServedMetadata, sessionKeyOf } from "./caller.ts";
import type {
  Caller,
  ServedAgent,
  ServedRun,
  ServedRunFilter,
  ServedRunPage,
  ServedRunStart,
} from "./contracts.ts";
import { collectPage, countRuns } from "./list_runs.ts";
import {
  assertSessionId,
  parsePosition,
  readServedFilter,
  readServedStart,
  type ReadStart,
} from "./read_start.ts";
import {
  readServeOptions,
  type ServedRunContext,
  type ServeSessionsOptions,
} from "./serve_sessions_options.ts";
import { SessionAgent } from "./session_agent.ts";
import { toServedId } from "./session_run.ts";
import { StartQueue } from "./start_queue.ts";
import { temporaryKeyOf, withTemporarySessions } from "./temporary_storage.ts";

/**
 * An agent whose conversations are sessions, for endpoints that serve it over one or several
 * protocols. Created by {@linkcode serveSessions}.
 *
 * Each caller has separate sessions and runs: two callers can use the same ids, and the run of
 * another caller is the same as a run that does not exist. A run belongs to its session: it
 * continues if its reader leaves, any process with the same storage can read and cancel it, and
 * another process takes it over after a crash. The state of a run is kept after its end
 * (`keepRuns`, `keepRunsMs`), and its events for a moment (`keepEndedMs`).
 *
 * In the storage, the id of a session is `<caller>/<session>`. The caller is `=` and the subject of
 * the principal, in which `/` and `%` are percent-encoded, or `-` for all anonymous callers.
 *
 * A tool that waits for a time (`ToolContext.sleep`) continues only when the run continues because
 * of another input. A run that waits only for a time never continues, and `settled` does not
 * resolve until the run is canceled. To continue runs at the time, serve durable runs.
 *
 * @example Continue a run that waits for a decision
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }]);
 * const pay = { name: "pay", inputSchema: { type: "object" }, execute: () => "ok" };
 * await using served = serveSessions({
 *   storage: memoryStorage(),
 *   make: () =>
 *     new ToolLoopAgent({
 *       name: "clerk",
 *       model,
 *       tools: [pay],
 *       approvalHandler: () => ({ decision: "defer" }),
 *     }),
 * });
 * const ann = { subject: "ann" };
 * const run = await served.start(ann, { turn: "Pay the bill" });
 * const { waitingFor: [wait] } = await run.settled({ until: "waiting" });
 * assertEquals(await run.input(wait?.key ?? "", { decision: "approve" }), true);
 * assertEquals((await run.settled()).result?.finalText, "Paid");
 * ```
 */
export class ServedSessions implements ServedAgent, AsyncDisposable {
  readonly #sessions: Sessions;
  readonly #stored: SessionAgent;
  readonly #temporary: Quota;
  readonly #limits: Pick<Required<ServeSessionsOptions>, "maxOpenRunsPerCaller" | "maxRuns">;
  readonly #keepEndedMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #closed = new AbortController();
  /** Stop the timers after which temporary sessions are deleted. */
  readonly #timers = new Set<() => void>();
  #closing: Promise<void> | undefined;

  /** @ignore Use {@linkcode serveSessions}. */
  constructor(options: ServeSessionsOptions) {
    const { make, maxOpenRunsPerCaller, maxQueuedStarts, storage: given, ...rest } =
      readServeOptions(options);
    const { keepEndedMs, maxRuns } = rest;
    this.#limits = { maxOpenRunsPerCaller, maxRuns };
    this.#keepEndedMs = keepEndedMs;
    this.#onError = createErrorReporter("serveSessions", rest.onError);
    this.#temporary = new Quota(maxRuns, maxOpenRunsPerCaller / maxRuns);
    const storage = withTemporarySessions(given, {
      maxSessions: maxRuns,
      // Calls that wait must not read a storage that is closed.
      onDispose: () => this.#closed.abort(AgentError.sessionsClosed()),
    });
    this.#sessions = openSessions(defined({
      ...rest,
      storage,
      maxPartyRuns: maxOpenRunsPerCaller,
      agent: (_: string, run: RunContext) => make(toServedContext(run)),
    }));
    this.#stored = new SessionAgent({
      sessions: this.#sessions,
      storage,
      queue: new StartQueue({ maxOpenRunsPerCaller, maxQueuedStarts, maxRuns }),
      closed: this.#closed.signal,
    });
  }

  /**
   * Starts a run, or returns the run of an earlier start with the same `requestId`.
   *
   * @param principal Authenticated caller, or `undefined` for an anonymous one.
   * @param start Message, session and metadata of the run.
   * @throws {AgentError} With code `session_busy` if a run of the session is in progress; with code
   * `run_conflict` if `requestId` was used with another message; with code `capacity_exceeded` if
   * the caller or this process executes too many runs, or too many starts wait; with code
   * `sessions_closed` if the sessions are closed; and with code `core` if the storage fails or the
   * session exceeds a limit.
   * @throws {TypeError} If the caller is not a principal, or a member has the wrong type.
   * @throws {RangeError} If the metadata is too large.
   */
  async start(principal: Caller, start: ServedRunStart): Promise<ServedRun> {
    const caller = readCaller(principal);
    const callerKey = callerKeyOf(caller);
    const read = readServedStart(start);
    this.#closed.signal.throwIfAborted();
    if (read.isTemporary) return await this.#startTemporary(caller, read);
    return await this.#stored.start({ caller, callerKey }, read);
  }

  /**
   * Returns a run of the caller. `undefined` if the run does not exist, belongs to another caller,
   * or its state is not kept anymore.
   *
   * @throws {AgentError} With code `sessions_closed` if the sessions are closed.
   */
  async get(caller: Caller, runId: string): Promise<ServedRun | undefined> {
    const callerKey = callerKeyOf(caller);
    this.#closed.signal.throwIfAborted();
    return await this.#stored.find(callerKey, runId) ??
      await this.#stored.find(temporaryKeyOf(callerKey), runId);
  }

  /**
   * Lists the runs of the caller whose states are kept, the most recently changed first.
   *
   * @throws {TypeError} If a member of the filter has the wrong type.
   * @throws {RangeError} If `limit` is not an integer between 1 and 1000.
   * @throws {AgentError} With code `sessions_closed` if the sessions are closed.
   */
  async list(caller: Caller, filter: ServedRunFilter = {}): Promise<ServedRunPage> {
    const callerKey = callerKeyOf(caller);
    this.#closed.signal.throwIfAborted();
    const { after, sessionId, withTotal, ...conditions } = readServedFilter(filter);
    const position = after === undefined ? undefined : parsePosition(after);
    const runs = this.#stored.list(callerKey, defined({ after: position, sessionId }));
    const page = await collectPage(runs, conditions);
    if (!withTotal) return page;
    const all = this.#stored.list(callerKey, defined({ sessionId }));
    return { ...page, total: await countRuns(all, conditions) };
  }

  /**
   * Returns the stored conversation of a session of the caller, without the run in progress. A
   * session that does not exist has no messages.
   *
   * @throws {AgentError} With code `sessions_closed` if the sessions are closed.
   */
  async messages(caller: Caller, sessionId: string): Promise<readonly ModelMessage[]> {
    const callerKey = callerKeyOf(caller);
    this.#closed.signal.throwIfAborted();
    assertSessionId(sessionId);
    const { runs } = await this.#sessions.state(sessionKeyOf(callerKey, sessionId));
    return runs.flatMap(({ messages }) => messages);
  }

  /**
   * Deletes a session of the caller: its messages, runs and events. A run that waits is deleted
   * with the session. Has no effect if the session does not exist.
   *
   * @throws {AgentError} With code `session_busy` if a run is in progress; cancel it first.
   */
  async delete(caller: Caller, sessionId: string): Promise<void> {
    const callerKey = callerKeyOf(caller);
    assertSessionId(sessionId);
    await this.#sessions.delete(sessionKeyOf(callerKey, sessionId));
  }

  /**
   * Takes over runs whose process has stopped, for example when a server starts. A run that is not
   * taken over continues when it is read.
   *
   * @returns Number of runs that this process has taken over.
   */
  async recover(): Promise<number> {
    return await this.#sessions.recover();
  }

  /**
   * Stops accepting starts, lets runs finish for `drainMs`, releases the others so that another
   * process continues them, and disposes of the storage. Later calls return the same promise.
   */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** Calls {@linkcode ServedSessions.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#sessions.close();
    for (const stop of this.#timers) stop();
  }

  /** Starts a run in memory, whose session is deleted a moment after the end of the run. */
  async #startTemporary(caller: Caller, start: ReadStart): Promise<ServedRun> {
    const party = partyOf(caller);
    const { maxOpenRunsPerCaller, maxRuns } = this.#limits;
    if (!this.#temporary.has(1, undefined)) {
      throw AgentError.capacityExceeded("temporary runs", maxRuns);
    }
    if (!this.#temporary.has(1, party)) {
      throw AgentError.capacityExceeded("temporary runs of one caller", maxOpenRunsPerCaller);
    }
    this.#temporary.take(1, party);
    let ending: Promise<unknown> | undefined;
    try {
      const callerKey = temporaryKeyOf(callerKeyOf(caller));
      const run = await this.#stored.start({ caller, callerKey }, start);
      // Rejects if the sessions are closed first.
      ending = run.settled().then(
        () => this.#deleteLater(sessionKeyOf(callerKey, run.sessionId)),
        () => {},
      ).finally(() => this.#temporary.take(-1, party));
      return run;
    } finally {
      if (ending === undefined) this.#temporary.take(-1, party);
    }
  }

  #deleteLater(key: string): void {
    if (this.#closing !== undefined) return;
    const stop = callInBackground(() => {
      this.#timers.delete(stop);
      this.#sessions.delete(key).catch(this.#onError);
    }, this.#keepEndedMs);
    this.#timers.add(stop);
  }
}

function toServedContext({ metadata: stored, runId }: RunContext): ServedRunContext {
  const { caller, metadata, sessionId } = readServedMetadata(stored);
  return { caller, sessionId, runId: toServedId(sessionId, runId), metadata };
}
