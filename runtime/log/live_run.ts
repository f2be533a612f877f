/**
 * Reads the log of a run, from any connection and any process.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import type { LoopEvent } from "../loop/events.ts";
import { AgentError } from "../shared/error.ts";
import type { UserTurn } from "../shared/model.ts";
import { type LogEntry, readLogEntry, type RunStateEvent } from "./log_entry.ts";
import { isSameRun, type RunHead, type RunLog } from "./run_log.ts";

/**
 * The execution of the run has started again, for example because the process that executed it has
 * crashed, or the log does not have the cursor of the reader, for example because it was in the
 * memory of a process that has ended. The events of the run that were received must be discarded:
 * the next events repeat them.
 */
export interface LogResetEvent {
  /** Type of the event. */
  readonly type: "log_reset";
  /** Id of the run. */
  readonly runId: string;
  /** Empty, because the event belongs to the whole run. */
  readonly path: readonly string[];
  /** Time at which the reader noticed, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** An event of a run, with its position. */
export interface LiveEvent {
  /**
   * Position of the event: `<epoch>.<index>`. The index continues when another process takes over
   * the run. To continue reading after a lost connection, pass the cursor of the last event that
   * was received as `after`.
   */
  readonly cursor: string;
  /** The event. */
  readonly event: LoopEvent | RunStateEvent | LogResetEvent;
}

/**
 * A run that can be read from any connection. Leaving the loop detaches the reader and never stops
 * the run. Each loop over the run starts at the position that was requested.
 *
 * Events of sub-agents are included; their `path` has more than one name. The `messages` and
 * `iterations` of outputs are empty, because the events before contain the messages. Adjacent
 * deltas of a part may be joined.
 *
 * @example Collect the text of the outermost agent
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { type LiveRun, memoryStorage, openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * async function readText(run: LiveRun): Promise<string> {
 *   let text = "";
 *   for await (const { event } of run) {
 *     if (event.type === "log_reset") text = "";
 *     if (event.type === "text_delta" && event.path.length === 1) text += event.text;
 *   }
 *   return text;
 * }
 *
 * await using sessions = openSessions({
 *   storage: memoryStorage(),
 *   agent: () => new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) }),
 * });
 * assertEquals(await readText(await sessions.send("chat-1", "Hi")), "Hello");
 * ```
 */
export interface LiveRun extends AsyncIterable<LiveEvent> {
  /** Id of the session. For a durable run, the id of the run. */
  readonly sessionId: string;
  /** Id of the run. */
  readonly runId: string;
  /**
   * Number that is higher each time that a process claims the session, or opens the durable run.
   */
  readonly epoch: number;
  /** The user's message. Absent if the run continues a conversation without one. */
  readonly turn: UserTurn | undefined;
  /** Id that the client gave the user's message. Absent if the client gave none. */
  readonly turnId?: string;
}

/** Settings of a reader. */
export interface LiveReading {
  readonly log: Pick<RunLog, "changed" | "head" | "read">;
  /** Kind and id of the owner of the log, for error messages, such as `session "chat-1"`. */
  readonly owner: string;
  /** Cursor of the last event that the reader has received. */
  readonly after: string | undefined;
  /** Aborted when the reader must end. */
  readonly signal: AbortSignal;
  /** Whether the reader ends when the run waits, or waits with the run. */
  readonly until: "waiting" | "ended";
  /**
   * Resolves with whether a run whose phase is `"waiting"` still waits. If omitted, the phase
   * decides.
   */
  readonly isWaiting?: (head: RunHead) => Promise<boolean>;
  /**
   * Called if no process executes the run, and the reader does not end. Resolves with the next
   * action of the reader: `"look"` again, `"wait"` for a change, or `"end"`.
   */
  readonly onIdle: (head: RunHead) => Promise<"look" | "wait" | "end">;
  /**
   * Called when a loop starts. Throws if there are too many readers. Returns the end of the loop.
   */
  readonly onRead: () => () => void;
}

/** Number of entries in one read. */
const PAGE = 200;

/** Reads a cursor. */
export interface Cursor {
  readonly epoch: number;
  readonly index: number;
}

/**
 * Reads a cursor.
 *
 * @throws {TypeError} If the text is not a cursor.
 */
export function readCursor(text: string): Cursor {
  const match = /^(\d{1,15})\.(-1|\d{1,15})$/.exec(text);
  if (match === null) {
    rejectArgument("after", 'the cursor of an event, such as "1.42"', text);
  }
  return { epoch: Number(match[1]), index: Number(match[2]) };
}

/** Yields the events of a run, starting with those that the log already contains. */
export async function* readLive(
  start: RunHead,
  { after, isWaiting, log, onIdle, onRead, owner, signal, until }: LiveReading,
): AsyncGenerator<LiveEvent, void> {
  const { key } = start;
  const end = onRead();
  try {
    let seen = start;
    let next = start.first;
    if (after !== undefined) {
      const { epoch, index } = readCursor(after);
      // The log may have never had the cursor: a log in memory is lost with its process, and a
      // database may have been restored from a backup.
      const isKnown = epoch === start.epoch && index < start.count;
      if (isKnown) next = Math.max(start.first, index + 1);
      else yield resetAt(start);
    }
    while (!signal.aborted) {
      // The state is read before the entries, so that no entry is missed: entries are added before
      // the phase changes.
      const head = await log.head(key);
      const { epoch } = seen;
      const entries = await log.read(key, epoch, { from: next, limit: PAGE });
      for (const entry of entries) {
        const cursor = `${epoch}.${next++}`;
        yield { cursor, event: decode(owner, cursor, entry) };
        if (signal.aborted) return;
      }
      if (entries.length > 0) continue;
      // The log does not contain a run with the epoch 0 yet.
      const isStarted = epoch > 0;
      if (head?.runId !== seen.runId || isStarted && !isSameRun(seen, head)) return;
      if (head.epoch !== epoch) {
        seen = head;
        next = head.first;
        if (isStarted) yield resetAt(head);
      } else if (head.phase === "ended") {
        return;
      } else if (
        head.phase === "waiting" && until === "waiting" && await isWaiting?.(head) !== false
      ) {
        return;
      } else if (head.isLeased) {
        await log.changed(head, signal);
      } else {
        const next = await onIdle(head);
        if (next === "end") return;
        if (next === "wait") await log.changed(head, signal);
      }
    }
  } catch (error) {
    // The storage may already be closed when the reader ends.
    if (!signal.aborted) throw error;
  } finally {
    end();
  }
}

function resetAt({ epoch, first, runId }: RunHead): LiveEvent {
  const event: LogResetEvent = { type: "log_reset", runId, path: [], at: Date.now() };
  return { cursor: `${epoch}.${first - 1}`, event };
}

function decode(owner: string, cursor: string, entry: unknown): LogEntry {
  const event = readLogEntry(entry);
  if (typeof event !== "string") return event;
  throw AgentError.core(`Cannot read event ${cursor} of ${owner}: ${event}`);
}
