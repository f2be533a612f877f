/**
 * Reads the part of a run that clients of OpenAI's interfaces receive: the texts of the outermost
 * agent, and the end of the run. The inputs and results of tools and the events of sub-agents are
 * not part of it.
 *
 * @module
 */

import type { LoopEvent } from "../loop/events.ts";
import { textOf } from "../loop/response.ts";
import type { RunWait } from "../runs/run_record.ts";
import { waitsIn } from "../runs/run_waits.ts";
import type { ServedRun, ServedRunState } from "../serve/contracts.ts";
import type { AgentStopReason } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";
import { withoutRepeats } from "../ui/live_events.ts";

/** A part of the output of a run. */
export type OutputPart =
  /** Text of a model call. */
  | {
    readonly type: "text";
    readonly text: string;
    /** Whether the text is the first one of a call, or of a repeated attempt. */
    readonly isFirst: boolean;
  }
  /** The text of a call is complete, or the call is repeated. */
  | { readonly type: "text_end"; readonly isComplete: boolean }
  /** Reasoning of the model. */
  | { readonly type: "reasoning"; readonly text: string }
  /** The execution of a tool has started. */
  | { readonly type: "tool"; readonly toolName: string };

/** The end of a run, or the point at which it waits for input. */
export type RunEnd =
  | {
    readonly status: "done";
    readonly stopReason: AgentStopReason;
    readonly usage: TokenUsage;
  }
  | {
    readonly status: "waiting";
    readonly waits: readonly RunWait[];
    /** Absent if the events of the run cannot be read anymore. */
    readonly usage?: TokenUsage;
  }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "cancelled" };

/** Settings of the reader. */
export interface RunOutputSettings {
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Index of the first iteration that is part of the output. */
  readonly from?: number;
  /** Returns true if the reading ends when the run waits for this input. */
  readonly endsAt: (waits: readonly RunWait[]) => boolean;
}

/** Reads the output of a run. */
export class RunOutput {
  readonly #run: ServedRun;
  readonly #settings: RunOutputSettings;
  readonly #from: number;
  /** Text of the current model call, as far as the client has received it. */
  #sent = "";
  /** Whole text of the last model call. */
  #lastText = "";
  #iterations = 0;
  #end: RunEnd | undefined;

  constructor(run: ServedRun, settings: RunOutputSettings) {
    this.#run = run;
    this.#settings = settings;
    this.#from = settings.from ?? 0;
  }

  /** Number of iterations that have started. */
  get iterations(): number {
    return this.#iterations;
  }

  /**
   * The end of the run, or the point at which it waits. `undefined` until the parts have been read.
   */
  get end(): RunEnd | undefined {
    return this.#end;
  }

  /**
   * Yields the output until the run ends, or waits for input. If the events of the run cannot be
   * read anymore, yields the final text.
   *
   * @throws The reason of the signal if the signal is aborted.
   */
  async *parts(): AsyncGenerator<OutputPart, void> {
    const { signal } = this.#settings;
    for await (const event of withoutRepeats(this.#run.events({ until: "ended", signal }))) {
      if (event.path.length <= 1) yield* this.#partsOf(event);
      if (this.#end !== undefined) return;
    }
    signal.throwIfAborted();
    yield* this.#finishFrom(await this.#settled(signal));
  }

  async #settled(signal: AbortSignal): Promise<ServedRunState> {
    const state = await this.#run.settled({ until: "waiting", signal });
    const isEnd = state.status !== "waiting" || this.#settings.endsAt(state.waitingFor);
    return isEnd ? state : await this.#run.settled({ signal });
  }

  *#finishFrom(
    { error, result, status, waitingFor: waits }: ServedRunState,
  ): Generator<OutputPart, void> {
    if (status === "done" && result !== undefined) {
      const { finalText, stopReason, totalUsage: usage } = result;
      if (finalText !== this.#lastText) yield* this.#finish(finalText);
      this.#end = { status, stopReason, usage };
      return;
    }
    yield* this.#endText(false);
    if (status === "waiting") this.#end = { status, waits };
    else if (status === "cancelled") this.#end = { status };
    else this.#end = { status: "failed", error: new Error(error?.message ?? "The run has failed") };
  }

  *#partsOf(event: LoopEvent): Generator<OutputPart, void> {
    if ("iteration" in event && typeof event.iteration === "number") {
      this.#iterations = Math.max(this.#iterations, event.iteration + 1);
      if (event.iteration < this.#from) {
        if (event.type === "model_finished") this.#lastText = textOf(event.message);
        return;
      }
    }
    switch (event.type) {
      case "text_delta":
        yield* this.#text(event.text);
        return;
      case "reasoning_delta":
        if (event.reasoning !== "") yield { type: "reasoning", text: event.reasoning };
        return;
      case "tool_started":
        yield { type: "tool", toolName: event.toolCall.toolName };
        return;
      case "model_started":
      case "model_retry":
        yield* this.#endText(false);
        return;
      case "model_finished":
        yield* this.#finish(textOf(event.message));
        return;
      case "run_finished":
        yield* this.#finishRun(event);
        return;
      case "run_failed":
        yield* this.#endText(false);
        this.#end = { status: "failed", error: event.error };
    }
  }

  *#text(text: string): Generator<OutputPart, void> {
    if (text === "") return;
    yield { type: "text", text, isFirst: this.#sent === "" };
    this.#sent += text;
  }

  *#endText(isComplete: boolean): Generator<OutputPart, void> {
    if (this.#sent !== "") yield { type: "text_end", isComplete };
    this.#sent = "";
  }

  /** Sends the text of a response that was not streamed, or not stored completely. */
  *#finish(text: string): Generator<OutputPart, void> {
    if (!text.startsWith(this.#sent)) yield* this.#endText(false);
    yield* this.#text(text.slice(this.#sent.length));
    yield* this.#endText(true);
    this.#lastText = text;
  }

  *#finishRun(
    { output, stopReason }: LoopEvent & { readonly type: "run_finished" },
  ): Generator<OutputPart, void> {
    const { finalText, pending, totalUsage: usage } = output;
    if (pending !== undefined) {
      const waits = waitsIn(pending);
      if (this.#settings.endsAt(waits)) this.#end = { status: "waiting", waits, usage };
      return;
    }
    if (stopReason === "aborted" || stopReason === "terminated") {
      yield* this.#endText(false);
      this.#end = { status: "cancelled" };
      return;
    }
    // The final answer of an agent with an output schema can be the input of a tool call.
    if (finalText !== this.#lastText) yield* this.#finish(finalText);
    this.#end = { status: "done", stopReason, usage };
  }
}
