/**
 * A run of a session that this process executes.
 *
 * @module
 */

import { asRecord, copyJson, defined } from "@parley/internal/json";
import { sleep } from "@parley/internal/timers";
import type { ToolLoopAgent } from "../agent/agent.ts";
import type { LoopEvent } from "../loop/events.ts";
import { toUserMessage } from "../loop/conversation.ts";
import { toStoredResult } from "../loop/run_result.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { UserTurn } from "../shared/model.ts";
import { toFailure } from "../shared/run_failure.ts";
import type { PendingBatch, ToolLoopOutput } from "../shared/output.ts";
import { createAbortReason } from "../shared/platform.ts";
import { toStepValue } from "../shared/step_value.ts";
import { AgentSession, readerOf } from "./agent_session.ts";
import type { LogEntry } from "../log/log_entry.ts";
import { LogWriter } from "../log/log_writer.ts";
import { PartialText } from "./partial_text.ts";
import {
  encodeRunIdPrefix,
  isStopReason,
  type SessionStopReason,
  toSessionRecord,
  toStopped,
  withClaim,
  withPartialText,
} from "./record.ts";
import type { RunFinish, RunHead, RunHold, RunPhase } from "../log/run_log.ts";
import type { ActiveRunSettings, ActiveRunStart, GivenUpRun } from "./run_settings.ts";
import { openStepRunner, takenOver } from "./step_journal.ts";
import type { SessionStore } from "./store.ts";

/** Minimum time between two looks for a request to stop the run, in milliseconds. */
const LISTEN_MS = 500;
/** Time between the looks while the storage fails, in milliseconds. */
const LISTEN_AGAIN_MS = 5000;
/** Time to wait for a storage that does not respond while a run ends, in milliseconds. */
const END_RETRY_MS = 250;

/** Executes a claimed run, and holds its lease until it has ended, waits or is released. */
export class ActiveRun {
  readonly #head: RunHead;
  readonly #settings: ActiveRunSettings;
  readonly #onEnding: () => void;
  readonly #controller = new AbortController();
  readonly #writer: LogWriter;
  readonly #partial = new PartialText();
  #heldUntil: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #agent: ToolLoopAgent | undefined;
  #session: AgentSession | undefined;
  /** Signals that the run has received. */
  #signals: NonNullable<ActiveRunStart["signals"]> = {};
  /** The event that ends the run, which is written together with the record. */
  #last: LoopEvent | undefined;
  /** Reason why the run ended, if it is part of the session. */
  #stopReason: SessionStopReason | undefined;
  #isEnded = false;
  #isDone = false;
  #keepMs: number;
  #isFenced = false;
  #isGivenUp = false;
  /** Whether the run ends even if its recorded steps cannot be added to the session. */
  #mustEnd = false;
  /** Whether the run has not ended, because its agent cannot be created. */
  #isKept = false;
  #isReleased = false;

  /**
   * Takes responsibility for a claimed run.
   *
   * @param head State of the run after the claim.
   * @param settings Settings of all runs.
   * @param onEnding Called before readers can see that the run has ended, because they may then
   * start another run. Can be called several times.
   */
  constructor(head: RunHead, settings: ActiveRunSettings, onEnding: () => void) {
    const { limits, leaseMs, onError, storage: { log } } = settings;
    this.#head = head;
    this.#settings = settings;
    this.#onEnding = onEnding;
    this.#keepMs = settings.keepEndedMs;
    this.#heldUntil = Date.now() + leaseMs;
    const { epoch, key } = head;
    const onHold = (hold: RunHold): void => this.#onHold(hold);
    this.#writer = new LogWriter(
      { log, key, owner: `session "${key}"`, epoch, onHold, onError },
      limits,
    );
  }

  /** Stops the run, unless it is given up. Its text becomes part of the session. */
  stop(): void {
    const reason = createAbortReason("The run was stopped", "AbortError");
    if (!this.#isGivenUp) this.#controller.abort(reason);
  }

  /** Ends the execution, so that another process can continue the run. */
  release(): void {
    this.#isReleased = true;
    this.#controller.abort(createAbortReason("The process stops", "AbortError"));
  }

  /**
   * Executes the run. Resolves when the run has ended, waits or is released. Errors of the run are
   * part of its log and of the session; other errors are passed to `onError`. Never rejects.
   *
   * @param start Message, decisions and signals.
   */
  async execute({ decisions, prepare, signals, turn }: ActiveRunStart): Promise<void> {
    await this.#hold(turn, async () => {
      await prepare?.();
      const session = await this.#openSession(signals);
      return await session.run(turn, {
        signal: this.#controller.signal,
        onEvent: (event) => this.#onEvent(event),
        signals: this.#signals,
        ...decisions && { decisions },
      });
    });
  }

  /**
   * Adds the finished iterations of an interrupted or waiting run to the session, together with the
   * text that its readers have received. Calls no model and no tool. Never rejects.
   *
   * @param left Message and text of the run.
   * @returns The error if the run is still interrupted, because its agent cannot be created.
   */
  async giveUp({ error, isReadable, text, turn }: GivenUpRun): Promise<AgentError | undefined> {
    this.#isGivenUp = true;
    this.#partial.restore(text);
    // The log of the run does not show its end, so a reader could not tell that it has ended.
    if (!isReadable) this.#keepMs = 0;
    await this.#hold(turn, async () => {
      const { maxTakeovers, storage } = this.#settings;
      // A run that has stopped the process that gave it up is ended without its agent.
      const isSafe = this.#head.takeovers <= maxTakeovers + 1;
      this.#mustEnd = error !== undefined || !isSafe;
      if (storage.steps !== undefined && isSafe) await this.#openSession();
      if (error !== undefined) throw error;
      return undefined;
    });
    if (!this.#isKept) return undefined;
    return AgentError.core(`Cannot end run "${this.#head.runId}": its agent cannot be created`);
  }

  /** Executes work while the lease is renewed, and then ends the run. Never rejects. */
  async #hold(
    turn: UserTurn | undefined,
    work: () => Promise<ToolLoopOutput | undefined>,
  ): Promise<void> {
    this.#writer.add(this.#stateEvent("running"));
    this.#renewLater();
    const done = new AbortController();
    const listening = this.#listen(done.signal);
    let pending: PendingBatch | undefined;
    try {
      ({ pending } = await work() ?? {});
    } catch (error) {
      this.#last ??= this.#failure(error);
      if (!this.#controller.signal.aborted) this.#settings.onError(error);
    }
    try {
      // A run that keeps its steps gives up its lease without another write.
      await this.#writer.flush();
      if (pending !== undefined) await this.#finish("waiting", toStepValue({ pending }));
      else if (this.#isReleased) await this.#finish("released", null);
      else if (this.#isEnded || this.#isFenced || await this.#recordRest(turn)) {
        await this.#finish("ended", this.#result());
      }
    } finally {
      this.#isDone = true;
      clearTimeout(this.#timer);
      done.abort();
      if (this.#session !== undefined) {
        this.#settings.cache.keep(this.#head.key, readerOf(this.#session).known);
      }
      await Promise.all([listening, this.#settings.terminate(this.#agent)]);
    }
  }

  /**
   * Adds a run that has left no record, because it was stopped or failed before its first step, or
   * only repeated recorded steps. Otherwise, the user's message would be lost. Never rejects.
   *
   * @returns `false` if the record cannot be added, or the steps cannot be read without an agent.
   * The run then counts as interrupted when its lease expires, and its steps are kept.
   */
  async #recordRest(turn: UserTurn | undefined): Promise<boolean> {
    const { onError, storage: { records } } = this.#settings;
    const { key, runId } = this.#head;
    try {
      if (this.#agent === undefined && await this.#mustKeepSteps()) return false;
      if (await this.#session?.abandon()) return true;
      const count = await records.count(key);
      const isRecorded = runId !== `${encodeRunIdPrefix(key)}/${count}`;
      if (isRecorded || turn === undefined && this.#partial.text === "") return true;
      const stopReason = this.#controller.signal.aborted ? "aborted" : "failed";
      const messages = turn === undefined ? [] : [toUserMessage(turn)];
      return await this.#append(toSessionRecord(runId, stopReason, messages), count);
    } catch (cause) {
      const text = `Cannot add the run to session "${key}": ${errorMessageOf(cause)}`;
      onError(AgentError.core(text, { cause }));
      return false;
    }
  }

  /**
   * Returns true if the run has recorded steps, which another execution can add to the session. If
   * the run was stopped or given up, ends its lease, because a caller waits for this execution.
   */
  async #mustKeepSteps(): Promise<boolean> {
    const { log, steps } = this.#settings.storage;
    const { epoch, key } = this.#head;
    if (this.#mustEnd || steps === undefined) return false;
    this.#isKept = (await steps.load(key)).length > 0;
    const isAwaited = this.#isGivenUp || this.#controller.signal.aborted;
    if (this.#isKept && isAwaited) await log.renew(key, epoch, 0);
    return this.#isKept;
  }

  async #openSession(sent?: ActiveRunStart["signals"]): Promise<AgentSession> {
    const { cache, make, maxChars, maxRecords, storage: { records, steps } } = this.#settings;
    const { epoch, key, runId } = this.#head;
    const context = { runId, metadata: copyJson(this.#head.metadata) };
    this.#agent = await make(key, context, this.#controller.signal);
    const store: SessionStore = {
      load: (id) => records.load(id),
      append: (_id, record, expectedLength) => this.#append(record, expectedLength),
      ...records.loadFrom && { loadFrom: records.loadFrom.bind(records) },
    };
    const recorded = steps && await openStepRunner({ steps, key, runId, epoch }, sent);
    this.#signals = recorded?.signals ?? {};
    this.#session = new AgentSession(this.#agent, {
      id: key,
      store,
      maxChars,
      maxRecords,
      ...recorded && { stepRunner: recorded.stepRunner },
    });
    readerOf(this.#session).known = cache.known(key);
    return this.#session;
  }

  #onEvent(event: LoopEvent): void {
    this.#partial.add(event);
    const isLast = event.runId === this.#head.runId &&
      (event.type === "run_finished" || event.type === "run_failed");
    if (isLast) this.#last = event;
    else this.#writer.add(event);
  }

  /** Adds the record of the run to the session, and ends the run. */
  async #append(record: JsonValue, expectedLength: number): Promise<boolean> {
    // The run continues elsewhere, so the session must not contain it yet.
    if (this.#isReleased) return true;
    const { epoch, key, runId } = this.#head;
    const { partialText, storage } = this.#settings;
    const text = partialText === "store" ? this.#partial.text : "";
    const ended = this.#controller.signal.aborted ? toStopped(record) : record;
    const complete = withClaim(withPartialText(ended, text), this.#head);
    await this.#writer.flush();
    this.#onEnding();
    const { stopReason = null } = asRecord(ended);
    this.#stopReason = isStopReason(stopReason) ? stopReason : undefined;
    const finish = this.#toFinish("ended", this.#result());
    if (storage.commit !== undefined) {
      const outcome = await storage.commit(key, epoch, {
        ...finish,
        record: complete,
        expectedLength,
      });
      this.#isEnded = outcome === "stored";
      if (outcome === "fenced") throw takenOver(runId);
      return outcome === "stored";
    }
    if (!await storage.records.append(key, complete, expectedLength)) return false;
    this.#isEnded = await storage.log.finish(key, epoch, finish);
    await storage.steps?.delete(key);
    return true;
  }

  /** Ends the run, unless its record has ended it. Repeats the attempt until the lease expires. */
  async #finish(phase: RunFinish["phase"], result: JsonValue): Promise<void> {
    await this.#writer.flush();
    this.#onEnding();
    const { onError, storage: { log } } = this.#settings;
    const { epoch, key } = this.#head;
    while (!this.#isEnded && !this.#isFenced) {
      try {
        await log.finish(key, epoch, this.#toFinish(phase, result));
        return;
      } catch (cause) {
        if (Date.now() < this.#heldUntil) {
          await new Promise((resolve) => setTimeout(resolve, END_RETRY_MS));
          continue;
        }
        const text = `Cannot end the run of session "${key}": ${errorMessageOf(cause)}`;
        onError(AgentError.core(text, { cause }));
        return;
      }
    }
  }

  #toFinish(phase: RunFinish["phase"], result: JsonValue): RunFinish {
    // The run continues after a release, so its readers must not see its end.
    const events: LogEntry[] = phase === "released" || this.#last === undefined ? [] : [this.#last];
    const entries = this.#writer.encode([...events, this.#stateEvent(phase)]);
    return { phase, result, entries, keepMs: this.#keepMs };
  }

  /** Returns what the log stores about the end of the run. */
  #result(): JsonValue {
    const last = this.#last;
    const { maxChars } = this.#settings.limits;
    return defined({
      stopReason: this.#stopReason,
      error: last?.type === "run_failed" ? { ...toFailure(last.error) } : undefined,
      result: last?.type === "run_finished" ? toStoredResult(last.output, maxChars) : undefined,
    });
  }

  #failure(error: unknown): LoopEvent {
    const { runId } = this.#head;
    return { type: "run_failed", runId, path: [], at: Date.now(), error };
  }

  #stateEvent(state: RunPhase): LogEntry {
    return { type: "run_state", state, runId: this.#head.runId, path: [], at: Date.now() };
  }

  #renewLater(): void {
    const { leaseMs, storage: { log } } = this.#settings;
    const { epoch, key } = this.#head;
    const renew = async (): Promise<void> => {
      const renewedAt = Date.now();
      try {
        this.#onHold(await log.renew(key, epoch, leaseMs));
        this.#heldUntil = renewedAt + leaseMs;
      } catch (cause) {
        if (Date.now() >= this.#heldUntil) {
          const text = `Cannot renew the lease of session "${key}": ${errorMessageOf(cause)}`;
          this.#settings.onError(AgentError.core(text, { cause }));
          this.#onHold("fenced");
        }
      }
      if (!this.#isDone && !this.#isFenced) this.#renewLater();
    };
    this.#timer = setTimeout(() => void renew(), leaseMs / 3);
  }

  /**
   * Hears a request to stop the run that arrives while the run writes nothing. While it writes, the
   * writes report the request, so it is enough to look from time to time. Never rejects: renewals
   * report that the storage fails.
   */
  async #listen(done: AbortSignal): Promise<void> {
    const { storage: { log } } = this.#settings;
    const { epoch, key } = this.#head;
    let seen = this.#head;
    while (!done.aborted) {
      let pauseMs = LISTEN_MS;
      try {
        await log.changed(seen, done);
        const head = done.aborted ? undefined : await log.head(key);
        if (head?.epoch !== epoch) return;
        if (head.isStopping) return this.stop();
        // The storage has chosen the time of this look.
        if (head.count === seen.count) pauseMs = 0;
        seen = head;
      } catch {
        pauseMs = LISTEN_AGAIN_MS;
      }
      if (pauseMs > 0) await sleep(pauseMs, done).catch(() => {});
    }
  }

  #onHold(hold: RunHold): void {
    if (hold === "stop") this.stop();
    if (hold === "fenced" && !this.#isEnded) {
      this.#isFenced = true;
      this.#controller.abort(takenOver(this.#head.runId));
    }
  }
}
