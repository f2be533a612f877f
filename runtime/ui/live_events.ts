/**
 * The events of a run of a session, for a page that shows them.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import type { LiveEvent, LiveRun } from "../log/live_run.ts";
import type { ToolLoopStream } from "../loop/stream.ts";

/** Types of events that a run repeats when another process takes it over. */
const REPEATED: ReadonlySet<string> = new Set<LoopEvent["type"]>([
  "run_started",
  "iteration_started",
  "model_finished",
  "approval_requested",
  "approval_decided",
  "tool_started",
  "tool_finished",
  "iteration_finished",
]);

/** Returns true if the events of a run are those of a session. */
export function isLiveRun(run: ToolLoopStream | LiveRun): run is LiveRun {
  return "sessionId" in run && !("next" in run);
}

/**
 * Yields the events of a run without the events that the page has already received: when another
 * process takes over the run, its events are repeated. A model call that was interrupted is
 * repeated like a failed attempt, so that the page removes the part of the response that it shows.
 * The end of an execution is sent when it is certain: an execution whose outcome was not recorded
 * is repeated.
 */
export async function* withoutRepeats(
  events: AsyncIterable<LiveEvent>,
): AsyncGenerator<LoopEvent, void> {
  const page = new PageEvents();
  let end: LoopEvent | undefined;
  for await (const { event } of events) {
    if (event.type === "log_reset") {
      end = undefined;
      yield* page.reset();
    } else if (event.type === "run_state") {
      if (end !== undefined) yield end;
      end = undefined;
    } else if (isEnd(event)) {
      end = event;
    } else {
      yield* page.filter(event);
    }
  }
  if (end !== undefined) yield end;
}

/** Returns true if an event is the end of the outermost run. */
function isEnd({ path, type }: LoopEvent): boolean {
  return path.length <= 1 && (type === "run_finished" || type === "run_failed");
}

/** Tracks the events that a page has received. */
class PageEvents {
  readonly #received = new Set<string>();
  /** Model calls that have started and not ended, keyed by run id. */
  readonly #open = new Map<string, LoopEvent & { readonly type: "model_started" }>();
  #isTakenOver = false;

  /** Returns the event for the page, if the page has not received it. */
  filter(event: LoopEvent): LoopEvent[] {
    const { runId, type } = event;
    if (type === "model_started") return [this.#start(event)];
    if (type === "model_finished") this.#open.delete(runId);
    if (!REPEATED.has(type)) return [event];
    const key = keyOf(event);
    if (this.#isTakenOver && this.#received.has(key)) return [];
    this.#received.add(key);
    return [event];
  }

  /** Returns events that remove the partial responses of interrupted model calls. */
  reset(): LoopEvent[] {
    this.#isTakenOver = true;
    const reason = "another process has taken over the run";
    return [...this.#open.values()].map(({ at, iteration, path, runId }) => {
      const attempt = 1;
      return { type: "model_retry", runId, path, at, iteration, attempt, delayMs: 0, reason };
    });
  }

  #start(event: LoopEvent & { readonly type: "model_started" }): LoopEvent {
    const key = keyOf(event);
    const isRepeated = this.#isTakenOver && this.#received.has(key);
    this.#received.add(key);
    this.#open.set(event.runId, event);
    // The page already shows the step, so a repeated call is like another attempt.
    return isRepeated ? { ...event, attempt: event.attempt + 1 } : event;
  }
}

/** Returns a text that is the same for an event and its repetition. */
function keyOf(event: LoopEvent): string {
  const { runId, type } = event;
  const iteration = "iteration" in event
    ? typeof event.iteration === "number" ? event.iteration : event.iteration.index
    : "";
  const call = "toolCall" in event
    ? event.toolCall.toolCallId
    : "toolResult" in event
    ? event.toolResult.toolCallId
    : "";
  return JSON.stringify([runId, type, iteration, call]);
}
