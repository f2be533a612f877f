/**
 * The AG-UI events that one event of a run is converted to.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import type { AgUiEvent, AgUiEventBody } from "./ag_ui_events.ts";
import type { ActiveRun } from "./ag_ui_run.ts";

/** Event of a run with the given type. */
export type EventOf<Type extends LoopEvent["type"]> = LoopEvent & { readonly type: Type };

/** Collects the AG-UI events for one event of a run. */
export class AgUiOutput {
  #events: AgUiEvent[] = [];

  /** The events for the current event of a run. */
  get events(): readonly AgUiEvent[] {
    return this.#events;
  }

  /** Starts the conversion of an event of a run. */
  start(): void {
    this.#events = [];
  }

  /**
   * Adds an event.
   *
   * @param run Run that the event belongs to. `undefined` if the event belongs to all runs.
   */
  emit(run: ActiveRun | undefined, body: AgUiEventBody): void {
    const subagentRunId = run?.subagentRunId;
    this.#events.push(subagentRunId === undefined ? body : { ...body, subagentRunId });
  }
}
