/**
 * Observers, which record what a library passes to the functions of a program: errors, events,
 * steps, and the states from which iterations are prepared.
 *
 * @module
 */

import type {
  Around,
  IterationContext,
  LoopEvent,
  LoopEventSink,
  LoopOptions,
  StepInfo,
  ToolCallOrigin,
  ToolLoopAgent,
} from "@parley/runtime";
import { BadArgs, type Fields, isFields, type Operation } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const OBSERVER_OPS: Readonly<Record<string, Operation>> = {
  "runtime.observer.new": ({ handles }) => ({ handle: handles.add(new Observer()) }),
  "runtime.observer.seen": ({ on }) => ({ ...observerOf(on) }),
};

/** Returns the observer for a handle. */
export function observerOf(object: unknown): Observer {
  if (object instanceof Observer) return object;
  throw new BadArgs("the handle must refer to an observer");
}

/** Records what the library passes to the functions of a program. */
export class Observer {
  readonly errors: Fields[] = [];
  readonly events: Fields[] = [];
  readonly preparations: Fields[] = [];
  readonly steps: StepInfo[] = [];
  readonly transitions: Fields[] = [];
  readonly #onEvent: LoopEventSink = (event) => void this.events.push(describeEvent(event));
  readonly #around: Around = toAround({}, this.steps);

  /**
   * Returns the loop options that pass errors, events and steps to the observer. Agents with the
   * same observer share the functions.
   */
  toOptions(around: unknown): Pick<LoopOptions, "around" | "onError" | "onEvent"> {
    return {
      around: isFields(around) ? toAround(around, this.steps) : this.#around,
      onError: (error) => void this.errors.push(describeFailure(error)),
      onEvent: this.#onEvent,
    };
  }

  /** Records the context of a preparation. */
  prepare(context: IterationContext): void {
    const { messages, view, history, tools, model, totalUsage, lastUsage } = context;
    this.preparations.push({
      ...describeOrigin(context),
      messages,
      view,
      history,
      tools: tools.map(({ name }) => name),
      model: model.modelId,
      totalUsage,
      lastUsage,
    });
  }

  /** Records the state transitions of an agent. */
  follow({ lifecycle }: ToolLoopAgent): void {
    lifecycle.onTransition((transition) => void this.transitions.push({ ...transition }));
  }
}

/**
 * Returns the members that identify the call of a function. `messageCount` represents the messages.
 */
export function describeOrigin(
  { agentName, agentDid, path, runId, iteration, messages }: Omit<ToolCallOrigin, "signal">,
): Fields {
  return { agentName, agentDid, path, runId, iteration, messageCount: messages.length };
}

/**
 * Returns the data of an event. The delta, the ids of tool calls and the cause of a failure have a
 * short form.
 */
export function describeEvent(event: LoopEvent): Fields {
  const { at: _, ...data } = event;
  const error = "error" in event ? { error: describeFailure(event.error) } : {};
  switch (event.type) {
    case "text_delta":
      return { ...data, type: "model_delta", delta: event.text, deltaType: "text-delta" };
    case "reasoning_delta":
      return { ...data, type: "model_delta", delta: event.reasoning, deltaType: "reasoning-delta" };
    case "tool_input_delta":
      return {
        ...data,
        type: "model_delta",
        delta: event.inputText,
        deltaType: "tool-input-delta",
      };
    case "approval_requested":
    case "approval_decided":
    case "tool_started":
      return { ...data, toolCallId: event.toolCall.toolCallId, ...error };
    case "tool_finished":
      return { ...data, toolCallId: event.toolResult.toolCallId, ...error };
    case "iteration_finished":
      return { ...data, ...event.iteration, iteration: event.iteration.index };
    case "run_finished":
      return { ...data, output: undefined };
    default:
      return { ...data, ...error };
  }
}

function describeFailure(error: unknown): Fields {
  if (!isFields(error)) return { message: String(error) };
  const { code, details, message } = error;
  return { code, details, message };
}

/**
 * Creates a function that wraps steps. For steps of the given kind, the function violates its
 * contract: by default, it executes the step twice.
 */
function toAround({ kind, violation }: Fields, steps: StepInfo[]): Around {
  return async (step, next) => {
    steps.push(step);
    if (step.kind !== kind) return await next();
    const outcome = violation === "skip" || violation === "late" ? undefined : next();
    switch (violation) {
      case "late":
        setTimeout(() => void next().catch(() => {}), 5);
        return undefined as unknown as Awaited<ReturnType<typeof next>>;
      case "throw":
        await outcome;
        throw new Error("around");
      case "replace":
        // The outcome is deliberately a different object.
        return { ...await outcome } as Awaited<ReturnType<typeof next>>;
      case "skip":
      case "early":
        return undefined as unknown as Awaited<ReturnType<typeof next>>;
    }
    return await next();
  };
}
