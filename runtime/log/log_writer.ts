/**
 * Writes the events of a run to its log.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { type LogEntry, toLogEntry } from "./log_entry.ts";
import type { RunHold, RunLog } from "./run_log.ts";

/** Limits for the log of a run. */
export interface LogLimits {
  /** Interval at which deltas are written, in milliseconds. */
  readonly flushMs: number;
  /** Maximum number of entries. */
  readonly maxEvents: number;
  /** Maximum size of the entries, in UTF-16 code units of JSON. */
  readonly maxChars: number;
  /** Time for which failed writes are repeated, in milliseconds. */
  readonly retryMs: number;
}

/** The claim of the process that executes the run. */
export interface LogClaim {
  readonly log: RunLog;
  readonly key: string;
  /** Kind and id of the owner of the log, for error messages, such as `session "chat-1"`. */
  readonly owner: string;
  readonly epoch: number;
  /** Called with the state of the claim after each write. */
  readonly onHold: (hold: RunHold) => void;
  /** Called with events that are not written. */
  readonly onError: (error: unknown) => void;
}

/** Longest interval between writes, in milliseconds. */
const MAX_FLUSH_MS = 1000;
/** Delay before a failed write is repeated, in milliseconds. */
const RETRY_MS = 250;
/** Text in place of values for which the log has no room. */
const NO_ROOM = "(not stored: the log of the run is full)";

/** The types of events that are written at intervals, and that adjacent events are joined with. */
type Delta = Extract<
  LoopEvent,
  { readonly type: "text_delta" | "reasoning_delta" | "tool_input_delta" }
>;

/**
 * Collects the events of a run and writes them in batches, one after the other. Adjacent deltas of
 * the same part are joined. The run never waits for the log. When the log has reached its limits,
 * deltas are omitted: a reader then receives whole messages.
 */
export class LogWriter {
  readonly #claim: LogClaim;
  readonly #limits: LogLimits;
  #batch: LogEntry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isUrgent = false;
  #writing: Promise<void> | undefined;
  #failingSince: number | undefined;
  #isBroken = false;
  /** The model call whose deltas are omitted. */
  #omittedCall: string | undefined;
  #events = 0;
  #chars = 0;

  constructor(claim: LogClaim, limits: LogLimits) {
    this.#claim = claim;
    this.#limits = limits;
  }

  /** Adds an event. Never throws. */
  add(event: LogEntry): void {
    if (this.#isBroken) return;
    const last = this.#batch.at(-1);
    if (isDelta(event)) {
      if (this.#isFull) {
        this.#omit(event);
        return;
      }
      const joined = last && isDelta(last) ? join(last, event) : undefined;
      if (joined === undefined) this.#batch.push(event);
      else this.#batch[this.#batch.length - 1] = joined;
      this.#schedule(this.#interval);
    } else {
      this.#batch.push(event);
      this.#isUrgent = true;
      this.#schedule(0);
    }
  }

  /**
   * Omits a delta. The first time in a model call, tells the readers to discard the deltas that
   * they have received of this call, because they will receive the whole message instead.
   */
  #omit({ at, iteration, path, runId }: Delta & LoopEvent): void {
    const call = `${runId} ${iteration}`;
    if (this.#omittedCall === call) return;
    this.#omittedCall = call;
    const reason = "the log of the run is full";
    this.add({ type: "model_retry", runId, path, at, iteration, attempt: 1, delayMs: 0, reason });
  }

  /** Whether events could not be written. Later events are then discarded. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Resolves when all events have been written, or cannot be written. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#writing !== undefined || this.#batch.length > 0 && !this.#isBroken) {
      await (this.#writing ?? this.#write());
    }
  }

  /** Returns the entries for events that are written together with the end of the run. */
  encode(events: readonly LogEntry[]): readonly JsonValue[] {
    return events.flatMap((event) => {
      try {
        return [toLogEntry(this.#isFull ? withoutValues(event) : event)];
      } catch (cause) {
        const text = `Cannot store a ${event.type} event: ${errorMessageOf(cause)}`;
        this.#claim.onError(AgentError.core(text, { cause }));
        return [];
      }
    });
  }

  get #isFull(): boolean {
    const { maxChars, maxEvents } = this.#limits;
    return this.#events >= maxEvents || this.#chars >= maxChars;
  }

  /** The interval is doubled, up to a second, for each halving of the room that is left. */
  get #interval(): number {
    const { flushMs, maxEvents } = this.#limits;
    const left = Math.max(1, maxEvents - this.#events) / maxEvents;
    return Math.min(MAX_FLUSH_MS, flushMs * 2 ** Math.max(0, Math.floor(-Math.log2(left))));
  }

  #schedule(ms: number): void {
    if (this.#writing !== undefined) return;
    if (this.#isUrgent) clearTimeout(this.#timer);
    else if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#write(), ms);
  }

  /** Writes the batch. Never rejects. */
  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isUrgent = false;
    const events = this.#batch;
    this.#batch = [];
    this.#writing = this.#append(events).finally(() => {
      this.#writing = undefined;
      if (this.#batch.length > 0) this.#schedule(this.#isUrgent ? 0 : this.#interval);
    });
    return this.#writing;
  }

  async #append(events: readonly LogEntry[]): Promise<void> {
    const { epoch, key, log, onError, onHold, owner } = this.#claim;
    const entries = this.encode(events);
    this.#events += entries.length;
    for (const entry of entries) this.#chars += JSON.stringify(entry).length;
    while (!this.#isBroken && entries.length > 0) {
      const startedAt = Date.now();
      try {
        onHold(await log.append(key, epoch, entries));
        this.#failingSince = undefined;
        return;
      } catch (cause) {
        this.#failingSince ??= startedAt;
        const isFull = AgentError.isAgentError(cause) && cause.is("capacity_exceeded");
        if (!isFull && Date.now() - this.#failingSince < this.#limits.retryMs) {
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
          continue;
        }
        this.#isBroken = true;
        const text = `Cannot write the events of ${owner}: ${errorMessageOf(cause)}; ` +
          "the run continues, but readers do not receive its progress";
        onError(AgentError.core(text, { cause }));
      }
    }
  }
}

function isDelta(event: LogEntry): event is Delta & LoopEvent {
  return event.type === "text_delta" || event.type === "reasoning_delta" ||
    event.type === "tool_input_delta";
}

/** Joins two deltas of the same part. Returns `undefined` if they belong to different parts. */
function join(last: Delta & LoopEvent, next: Delta & LoopEvent): LoopEvent | undefined {
  if (last.runId !== next.runId || last.iteration !== next.iteration) return undefined;
  if (last.type === "text_delta" && next.type === "text_delta") {
    return { ...last, text: last.text + next.text };
  }
  if (last.type === "reasoning_delta" && next.type === "reasoning_delta") {
    return { ...last, reasoning: last.reasoning + next.reasoning };
  }
  if (last.type !== "tool_input_delta" || next.type !== "tool_input_delta") return undefined;
  if (last.toolCallId !== next.toolCallId) return undefined;
  return { ...last, inputText: last.inputText + next.inputText };
}

/** Replaces the values in an event that can be large. */
function withoutValues(event: LogEntry): LogEntry {
  if (event.type === "tool_progress") return { ...event, progress: NO_ROOM };
  if (event.type !== "tool_finished") return event;
  const { output } = event.toolResult;
  const isError = output.type === "error-text" || output.type === "error-json" ||
    output.type === "execution-denied";
  if (isError) return event;
  return {
    ...event,
    toolResult: { ...event.toolResult, output: { type: "text", value: NO_ROOM } },
  };
}
