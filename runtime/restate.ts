/**
 * Runs in Restate workflows. Restate's journal records the steps of a run, so that a run continues
 * in a different process after a crash.
 *
 * ```ts ignore
 * import { serve, TerminalError, workflow, type WorkflowContext } from "@restatedev/restate-sdk";
 * import { isRetryable, ToolLoopAgent } from "@parley/runtime";
 * import { restateApprovals, restateSteps } from "@parley/runtime/restate";
 *
 * const clerk = workflow({
 *   name: "clerk",
 *   options: { retryPolicy: { initialInterval: 100, maxInterval: 10_000 } },
 *   handlers: {
 *     async run(ctx: WorkflowContext, task: string): Promise<string> {
 *       const decide = restateApprovals(ctx);
 *       const agent = new ToolLoopAgent({
 *         name: "clerk",
 *         model,
 *         tools: [pay],
 *         approvalHandler: (request) => request.tool.annotations?.readOnly || decide(request),
 *         toolConcurrency: 1,
 *       });
 *       const options = { runId: ctx.key, stepRunner: restateSteps(ctx, { TerminalError }) };
 *       try {
 *         return (await agent.run(task, options)).finalText;
 *       } catch (error) {
 *         // Restate runs the workflow again after any other error.
 *         if (isRetryable(error)) throw error;
 *         throw new TerminalError(String(error));
 *       }
 *     },
 *   },
 * });
 * ```
 *
 * Restate identifies the result of a step by the step's position in the run, and Restate steps are
 * neither concurrent nor nestable. Therefore, runs in Restate are limited as follows:
 *
 * - The tools called in one response run sequentially: `toolConcurrency` must be 1.
 * - A tool that runs a sub-agent is one step. After a crash, the sub-agent starts over, unless the
 *   outcome of the tool is unknown. A sub-agent must not defer an approval.
 * - A tool whose outcome is unknown after a crash is not repeated, unless it is marked as
 *   `idempotent` or `readOnly` or `onUnknownOutcome` is `"repeat"`. The `onUnknownOutcome` value
 *   `"ask"` is not supported.
 * - The workflow code between the steps must be deterministic. A run started by an earlier version
 *   of the agent fails if the new version requests different steps.
 * - A worker that hangs without exiting is replaced only after Restate's `inactivityTimeout`.
 * - Set a `retryPolicy`. With the default policy, a workflow can be delayed for minutes after
 *   several crashes.
 *
 * @module
 */

import type { StepRunner } from "./journal/step_runner.ts";
import {
  type ApprovalHandler,
  type ApprovalRequest,
  readApprovalDecision,
} from "./loop/approval.ts";
import {
  assertMethods,
  assertOptionalFunction,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { optionsReader, required } from "@parley/internal/options";
import { errorMessageOf } from "./shared/error.ts";
import type { JsonValue } from "./shared/json.ts";
import { isRetryable } from "./shared/model_failure.ts";
import { escapeText } from "@parley/internal/escape-text";

/** The members of a Restate context that {@linkcode restateSteps} uses. */
export interface RestateContext {
  /** Executes an action and records its result, or returns the recorded result. */
  run(name: string, action: () => Promise<JsonValue>): PromiseLike<unknown>;
}

/** The members of a Restate workflow context that {@linkcode restateApprovals} uses. */
export interface RestateWorkflowContext {
  /** Returns the durable promise with the given name. */
  promise(name: string): { get(): PromiseLike<unknown> };
}

/** Options for {@linkcode restateSteps}. */
export interface RestateStepsOptions {
  /** The `TerminalError` class from the Restate SDK, for failures that Restate must not retry. */
  readonly TerminalError: new (message: string) => Error;
}

/** Options for {@linkcode restateApprovals}. */
export interface RestateApprovalsOptions {
  /**
   * Called before the run waits, for example to notify the person who makes the decision. Called
   * again when the workflow is replayed, so wrap side effects in `ctx.run`.
   *
   * @param name Name of the durable promise that resolves to the decision.
   * @param request Tool call that needs the decision.
   */
  readonly onRequest?: (name: string, request: ApprovalRequest) => void | Promise<void>;
}

const readStepsOptions = optionsReader<RestateStepsOptions>("options")({
  TerminalError: required((name, value) => {
    if (typeof value !== "function") rejectArgument(name, "the class of the Restate SDK", value);
  }),
});

const readApprovalsOptions = optionsReader<RestateApprovalsOptions>("options")({
  onRequest: assertOptionalFunction,
});

/**
 * Creates a step runner that records steps in Restate's journal. Create one step runner per
 * execution of a workflow handler. If a step fails with a retryable error, Restate executes the
 * workflow again. An error that is not retryable is recorded, so that the run fails with the same
 * error each time.
 *
 * @param ctx Context of the workflow handler.
 * @param options The `TerminalError` class.
 * @returns The step runner, which rejects with a `TypeError` if tools run concurrently.
 * @throws {TypeError} If `ctx` has no `run` method or `TerminalError` is not a class.
 *
 * @example Run with a replacement context that records nothing
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { restateSteps } from "@parley/runtime/restate";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const names: string[] = [];
 * const ctx = {
 *   run(name: string, action: () => Promise<unknown>) {
 *     names.push(name);
 *     return action();
 *   },
 * };
 * const stepRunner = restateSteps(ctx, { TerminalError: Error });
 * const config = { model: scriptedModel([{ text: "Hi" }]), registry: new ToolRegistry() };
 * await runToolLoop({ ...config, runId: "r1", stepRunner, toolConcurrency: 1 }, "Hello");
 * assertEquals(names, ["r1/start", "r1/i0/model"]);
 * ```
 */
export function restateSteps(ctx: RestateContext, options: RestateStepsOptions): StepRunner {
  assertMethods("ctx", "a Restate context", ctx, ["run"]);
  const { TerminalError } = readStepsOptions(options);
  /**
   * Results, keyed by step key. Restate's journal has no keys, so this map supplies the recorded
   * results if a handler starts the same run several times.
   */
  const results = new Map<string, unknown>();
  /** Key of the tool step in progress. */
  let activeTool: string | undefined;
  let last: Promise<unknown> = Promise.resolve();

  return {
    async run(key, kind, step): Promise<unknown> {
      if (results.has(key)) return results.get(key);
      const isNested = activeTool !== undefined && key.startsWith(`${activeTool}/`);
      // The approval handler waits for a durable promise, and waiting is not possible inside
      // `ctx.run`.
      if (isNested || kind === "approval" || kind === "suspended") return await step();
      if (activeTool !== undefined) {
        throw new TypeError('"toolConcurrency" must be 1 for runs in Restate');
      }
      if (kind === "tool") activeTool = key;
      const result = last.then(() => ctx.run(key, () => terminate(step, key)));
      last = result.catch(() => {});
      try {
        const value = await result;
        results.set(key, value);
        return value;
      } finally {
        if (kind === "tool") activeTool = undefined;
      }
    },
  };

  async function terminate(step: () => Promise<JsonValue>, key: string): Promise<JsonValue> {
    try {
      return await step();
    } catch (error) {
      if (isRetryable(error)) throw error;
      const reason = error instanceof Error
        ? errorMessageOf(error)
        : "it ended without a result, and Restate cannot continue it later";
      throw new TerminalError(escapeText(`Cannot record step "${key}": ${reason}`));
    }
  }
}

/**
 * Creates an approval handler that waits for a durable promise in a Restate workflow. The workflow
 * uses no resources while it waits. Another handler of the workflow resolves the promise with the
 * decision: `ctx.promise(name).resolve({ decision: "approve" })`. Only the first decision takes
 * effect.
 *
 * @param ctx Context of the workflow handler.
 * @param options Function that is called before the run starts waiting.
 * @returns The approval handler. The name of the promise is `<runId>/i<iteration>/<toolCallId>`.
 * @throws {TypeError} If `ctx` has no `promise` method.
 *
 * @example Approve a call
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { restateApprovals } from "@parley/runtime/restate";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const names: string[] = [];
 * const approvalHandler = restateApprovals({
 *   promise(name) {
 *     names.push(name);
 *     return { get: () => Promise.resolve({ decision: "approve" }) };
 *   },
 * });
 * const registry = new ToolRegistry();
 * registry.register({ name: "pay", inputSchema: { type: "object" }, execute: () => "paid" });
 * const model = scriptedModel([
 *   { calls: [{ toolName: "pay", input: {}, toolCallId: "c1" }] },
 *   { text: "Done" },
 * ]);
 * await runToolLoop({ model, registry, approvalHandler, runId: "r1" }, "Pay");
 * assertEquals(names, ["r1/i0/c1"]);
 * ```
 */
export function restateApprovals(
  ctx: RestateWorkflowContext,
  options: RestateApprovalsOptions = {},
): ApprovalHandler {
  assertMethods("ctx", "a Restate workflow context", ctx, ["promise"]);
  const { onRequest } = readApprovalsOptions(options);
  return async (request) => {
    const name = `${request.runId}/i${request.iteration}/${request.toolCall.toolCallId}`;
    await onRequest?.(name, request);
    const decision = readApprovalDecision(await ctx.promise(name).get());
    if (decision !== undefined) return decision;
    throw new TypeError(`The durable promise "${name}" must resolve to an ApprovalDecision`);
  };
}
