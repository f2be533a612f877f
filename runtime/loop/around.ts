/**
 * Functions that wrap the steps of runs, for example to activate a span while a step executes.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type { ModelResponse, ToolCall, ToolResult } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { CallDeadline, type DeadlineScheduler } from "./deadlines.ts";
import type { LoopEventOrigin } from "./events.ts";

/** A run: its agent, model and output type. */
export interface RunStepInfo extends LoopEventOrigin {
  /** The step is a whole run. */
  readonly kind: "run";
  /** Name of the agent. */
  readonly agentName: string;
  /** DID of the agent. */
  readonly agentDid?: string;
  /** Type of the final answer. Present if the run has an `output` schema. */
  readonly outputType?: "json";
}

/** A model call in a run, including its retries. */
export interface ModelStepInfo extends LoopEventOrigin {
  /** The step is a model call. */
  readonly kind: "model";
  /** Name of the agent. */
  readonly agentName: string;
  /** Index of the iteration. */
  readonly iteration: number;
  /** Id of the model. */
  readonly modelId: string;
  /** Name of the model provider. */
  readonly provider?: string;
  /** Settings for the model call. */
  readonly options: GenerationOptions;
}

/** The execution of a tool. */
export interface ToolStepInfo extends LoopEventOrigin {
  /** The step executes a tool. */
  readonly kind: "tool";
  /** Name of the agent. */
  readonly agentName: string;
  /** Index of the iteration. */
  readonly iteration: number;
  /** The tool call, whose input comes from the model or from `repairToolCall`. */
  readonly toolCall: ToolCall;
  /**
   * Key that identifies the tool call, equal to `idempotencyKey` in the tool's context. If the tool
   * passes its context to a sub-agent, the sub-agent's run id starts with this key and a slash.
   */
  readonly idempotencyKey: string;
}

/** A step that a run is about to execute. */
export type StepInfo = RunStepInfo | ModelStepInfo | ToolStepInfo;

/**
 * The outcome of a step: the output of a run, a model's response or a tool's result. A failed tool
 * execution also has a result.
 */
export type StepOutcome = ToolLoopOutput | ModelResponse | ToolResult;

/**
 * Wraps a step of a run. An `around` function must call `next` exactly once, and resolve or reject
 * with the same outcome as the promise that `next` returns. An `around` function may call `next` in
 * a different context, and may measure or log the step. An `around` function must not retry, skip
 * or change the step; if it does, the run fails with code `core` before its next step.
 *
 * The step executes when `next` is called. `next` resolves with the outcome of the step. `next`
 * rejects if the run or the model call fails, if the step is aborted, or if a sub-agent that the
 * tool runs is waiting for an approval. The loop waits for `around` without a timeout. If the run
 * is aborted, `around` has `graceMs` to return; then, the step ends without `around`.
 *
 * `around` wraps every run, but not model calls and tool executions whose recorded results are read
 * from a journal.
 *
 * @typeParam Outcome Outcome of the step.
 * @param step Kind of step, and the run and the agent that the step belongs to.
 * @param next Executes the step.
 *
 * @example Measure the steps of a run
 * ```ts
 * import { type Around, runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const finished: string[] = [];
 * const around: Around = async (step, next) => {
 *   const startedAt = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     const durationMs = performance.now() - startedAt;
 *     if (durationMs >= 0) finished.push(step.kind);
 *   }
 * };
 * const model = scriptedModel([{ text: "Hello" }]);
 * await runToolLoop({ model, registry: new ToolRegistry(), around }, "Hi");
 * assertEquals(finished, ["model", "run"]);
 * ```
 */
export type Around = <Outcome extends StepOutcome>(
  step: StepInfo,
  next: () => Promise<Outcome>,
) => Promise<Outcome>;

/**
 * The functions that each combined function calls, so that nested runs do not call a function twice
 * for one step.
 */
const PARTS: WeakMap<Around, readonly Around[]> = new WeakMap();

/**
 * Combines `around` functions into one. The first function is the outermost. An `around` function
 * that occurs more than once is called only once.
 *
 * @returns The combined function, or `undefined` if no function is given.
 */
export function combineAround(functions: readonly (Around | undefined)[]): Around | undefined {
  const parts = new Set(functions.flatMap((one) => one ? PARTS.get(one) ?? [one] : []));
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return first;
  const combined = others.reduce<Around>(
    (outer, inner) => (step, next) => outer(step, () => inner(step, next)),
    first,
  );
  PARTS.set(combined, [...parts]);
  return combined;
}

type Settled<T> = { readonly ok: true; readonly value: T } | {
  readonly ok: false;
  readonly error: unknown;
};

/** The members of a run that a call to `around` uses. */
export interface AroundRun {
  readonly config: { readonly graceMs: number };
  readonly deadlines: DeadlineScheduler;
  /** Called if `around` does not call `next` exactly once or does not return its outcome. */
  readonly onAroundViolation: (error: AgentError) => void;
}

/**
 * Executes a step through `around`.
 *
 * @param run The run, whose signal ends the wait for `around`.
 * @returns The outcome of the step, even if `around` returns a different outcome.
 * @throws {AgentError} With code `core` if `around` does not call `next`.
 * @throws The step's error, if the step fails.
 * @throws The abort reason if the run is aborted before `around` calls `next`.
 */
export function callAround<T extends StepOutcome>(
  around: Around,
  step: StepInfo,
  execute: () => Promise<T>,
  run: AroundRun,
): Promise<T> {
  const call = new AroundCall(step, execute, run);
  try {
    const returned: unknown = around(step, call.next);
    return call.check(returned instanceof Promise ? returned : Promise.resolve(returned));
  } catch (error) {
    return call.check(Promise.reject(error));
  }
}

/**
 * One call to `around`. The promise that `around` returns is checked against the step's outcome.
 */
class AroundCall<T extends StepOutcome> {
  readonly #step: StepInfo;
  readonly #execute: () => Promise<T>;
  readonly #run: AroundRun;
  #work: Promise<T> | undefined;
  #outcome: Settled<T> | undefined;
  #violation: string | undefined;
  #hasReturned = false;

  constructor(
    step: StepInfo,
    execute: () => Promise<T>,
    run: AroundRun,
  ) {
    this.#step = step;
    this.#execute = execute;
    this.#run = run;
  }

  readonly next = (): Promise<T> => {
    if (this.#work || this.#hasReturned) {
      this.#violation = this.#work ? 'called "next" more than once' : 'called "next" too late';
      return Promise.reject(this.#errorOf(this.#violation));
    }
    const work = this.#work = this.#execute();
    work.then((value) => {
      this.#outcome = { ok: true, value };
    }, (error) => {
      this.#outcome = { ok: false, error };
    });
    return work;
  };

  /**
   * Returns the outcome of the step after the promise that `around` returned has settled. If the
   * run is aborted, `around` has the grace period of the run to settle.
   */
  check(returned: Promise<unknown>): Promise<T> {
    const { config: { graceMs }, deadlines } = this.#run;
    const deadline = new CallDeadline(0, graceMs);
    return deadlines.wait(returned, deadline).then(
      (value) => this.#check({ ok: true, value }),
      (error) =>
        deadline.isCancelled && error === deadline.reason
          ? this.#abandon(error)
          : this.#check({ ok: false, error }),
    );
  }

  /** Ends the step of an aborted run without waiting for `around`. */
  async #abandon(reason: unknown): Promise<T> {
    this.#hasReturned = true;
    if (this.#work) return await this.#work;
    // An aborted run still has an output.
    if (this.#step.kind === "run") return await this.#execute();
    throw reason;
  }

  #check(returned: Settled<unknown>): T | Promise<T> {
    this.#hasReturned = true;
    const outcome = this.#outcome;
    if (!outcome || this.#violation !== undefined || !isSame(returned, outcome)) {
      return this.#reportViolation(returned);
    }
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  }

  /**
   * Reports that `around` violated its contract, and waits for the step if it is still executing.
   */
  async #reportViolation(returned: Settled<unknown>): Promise<T> {
    const reason = returned.ok ? "" : `, and threw an exception: ${errorMessageOf(returned.error)}`;
    if (!this.#work) {
      const error = this.#errorOf(`did not call "next"${reason}`, returned);
      this.#run.onAroundViolation(error);
      throw error;
    }
    const violation = this.#violation ?? `did not return the outcome of "next"${reason}`;
    this.#run.onAroundViolation(this.#errorOf(violation, returned));
    return await this.#work;
  }

  #errorOf(violation: string, returned?: Settled<unknown>): AgentError {
    const text = `Cannot execute a ${this.#step.kind} step: "around" ${violation}`;
    return AgentError.core(text, returned?.ok === false ? { cause: returned.error } : {});
  }
}

function isSame(one: Settled<unknown>, other: Settled<unknown>): boolean {
  return one.ok
    ? other.ok && Object.is(one.value, other.value)
    : !other.ok && Object.is(one.error, other.error);
}
