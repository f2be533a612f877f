/**
 * Agents in Temporal workflows. The tool loop runs inside a workflow without a step runner: the
 * workflow history records every model call and tool call, because each call is an activity.
 *
 * Define the activities in the worker:
 *
 * ```ts ignore
 * import { ApplicationFailure, Context } from "@temporalio/activity";
 * import { type ModelActivity, runModelActivity, type ToolActivity } from "@parley/runtime/temporal";
 *
 * export const callModel: ModelActivity = (request) =>
 *   runModelActivity(model, request, { ApplicationFailure, signal: Context.current().cancellationSignal });
 * export const pay: ToolActivity = (input, { idempotencyKey }) => charge(input, idempotencyKey);
 * ```
 *
 * Run the agent in the workflow:
 *
 * ```ts ignore
 * import { ApplicationFailure, proxyActivities, workflowInfo } from "@temporalio/workflow";
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { activityModel, activityTools } from "@parley/runtime/temporal";
 * import type * as activities from "./activities.ts";
 *
 * const proxies = proxyActivities<typeof activities>({ startToCloseTimeout: "2 minutes" });
 *
 * export async function clerk(task: string): Promise<string> {
 *   const agent = new ToolLoopAgent({
 *     name: "clerk",
 *     model: activityModel(proxies.callModel, { modelId: "claude-sonnet" }),
 *     tools: activityTools(proxies, [{ name: "pay", inputSchema: { type: "object" } }]),
 *     modelTimeoutMs: 0,
 *     toolTimeoutMs: 0,
 *   });
 *   try {
 *     return (await agent.run(task, { runId: workflowInfo().workflowId })).finalText;
 *   } catch (error) {
 *     // Temporal retries a workflow task without limit if it fails with another error.
 *     throw ApplicationFailure.nonRetryable(String(error));
 *   }
 * }
 * ```
 *
 * Rules for agents in workflows:
 *
 * - Set `runId`. Random ids are not available in workflows.
 * - Set `modelTimeoutMs` and `toolTimeoutMs` to 0 and use activity timeouts, because every timeout
 *   of a run adds a timer to the workflow history. The tools created by {@linkcode activityTools}
 *   have no timeout.
 * - An `approvalHandler` waits for a workflow signal with `condition`. The handler must not defer
 *   the decision, because the keys of deferred decisions require `crypto`, which workflows lack. A
 *   step runner requires `crypto`, so runs in workflows have no step runner.
 * - Files in messages contain base64 text or URLs. Workflows cannot encode a `Uint8Array`.
 * - Sub-agents and agent tools run in the same workflow, and their calls are also activities.
 * - Models in workflows do not stream their responses.
 *
 * @module
 */

import { readConversation } from "./loop/known_conversation.ts";
import { readModelResponse } from "./loop/response.ts";
import {
  assertNonEmptyString,
  assertOptionalSignal,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { optionsReader, required } from "@parley/internal/options";
import { AgentError, errorMessageOf } from "./shared/error.ts";
import type { JsonValue } from "./shared/json.ts";
import { asRecord, defined, isRecord } from "@parley/internal/json";
import { oneOf } from "@parley/internal/option-checks";
import type { GenerationOptions } from "./shared/generation_options.ts";
import type { LanguageModel, ModelRequest, ToolDefinition } from "./shared/model.ts";
import { isRetryable, retryDelayOf } from "./shared/model_failure.ts";
import { assertModel } from "./shared/option_checks.ts";
import { fromStepValue, toStepValue } from "./shared/step_value.ts";
import type { Tool } from "./tools/tool.ts";

/**
 * An activity that calls a model. In the worker, the implementation of the activity calls
 * {@linkcode runModelActivity}.
 */
export type ModelActivity = (request: JsonValue) => Promise<JsonValue>;

/**
 * An activity that executes a tool in the worker. Returns a value that is serializable as JSON. If
 * the activity fails, the model receives the error message.
 *
 * @typeParam Input Type of the input described by the tool's schema.
 */
export type ToolActivity<Input = unknown> = (
  input: Input,
  call: ToolActivityCall,
) => Promise<unknown>;

/** The call that a tool activity executes. */
export interface ToolActivityCall {
  /** Id of the tool call. */
  readonly toolCallId: string;
  /** Idempotency key, which is the same for every attempt of the activity. */
  readonly idempotencyKey: string;
  /** Id of the run. */
  readonly runId: string;
  /** Name of the agent that executes the tool. */
  readonly agentName: string;
}

/** Properties of the model that the activity calls. */
export type ActivityModelOptions = Pick<LanguageModel, "modelId" | "provider" | "nativeOutput">;

/** A tool without `execute`, because an activity executes the tool. */
export type ActivityToolDefinition = Omit<Tool, "execute" | "timeoutMs">;

/** The members of Temporal's `ApplicationFailure` class that {@linkcode runModelActivity} uses. */
export interface ApplicationFailureClass {
  /** Creates an error that determines whether and when Temporal retries the activity. */
  create(options: {
    readonly message?: string;
    readonly type?: string;
    readonly nonRetryable?: boolean;
    readonly nextRetryDelay?: number;
    readonly cause?: Error;
  }): Error;
}

/** Options for {@linkcode runModelActivity}. */
export interface ModelActivityOptions {
  /** The `ApplicationFailure` class from `@temporalio/activity`. */
  readonly ApplicationFailure: ApplicationFailureClass;
  /** Aborts the model call: `Context.current().cancellationSignal`. */
  readonly signal?: AbortSignal;
}

const readActivityModelOptions = optionsReader<ActivityModelOptions>("options")({
  modelId: required(assertNonEmptyString),
  provider: assertNonEmptyString,
  nativeOutput: oneOf("with-tools", "without-tools"),
});

const readModelActivityOptions = optionsReader<ModelActivityOptions>("options")({
  ApplicationFailure: required((name, value) => {
    const isClass = typeof asRecord(value).create === "function";
    if (!isClass) rejectArgument(name, "the class of Temporal", value);
  }),
  signal: assertOptionalSignal,
});

/**
 * Creates a model that calls an activity. Use the model inside a workflow.
 *
 * @param activity Activity from `proxyActivities`.
 * @param options Id and provider of the model that the activity calls.
 * @throws {TypeError} If `activity` is not a function or `modelId` is not a non-empty string.
 *
 * @example Call the activity directly instead of in a workflow
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { activityModel, type ModelActivity, runModelActivity } from "@parley/runtime/temporal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const ApplicationFailure = { create: ({ message }: { message?: string }) => new Error(message) };
 * const model = scriptedModel([{ text: "Hello" }]);
 * const callModel: ModelActivity = (request) =>
 *   runModelActivity(model, request, { ApplicationFailure });
 * const config = { model: activityModel(callModel, { modelId: "m" }), registry: new ToolRegistry() };
 * assertEquals((await runToolLoop({ ...config, runId: "r1" }, "Hi")).finalText, "Hello");
 * ```
 */
export function activityModel(
  activity: ModelActivity,
  options: ActivityModelOptions,
): LanguageModel {
  if (typeof activity !== "function") rejectArgument("activity", "a function", activity);
  const settings = readActivityModelOptions(options);
  return {
    ...defined(settings),
    async generate({ messages, tools, options }) {
      let response: unknown;
      try {
        response = await activity(toStepValue({ messages, tools, options }));
      } catch (error) {
        const cause = causeOf(error);
        throw AgentError.modelError(errorMessageOf(cause), { cause });
      }
      return readModelResponse(fromStepValue(response));
    },
  };
}

/**
 * Creates tools that execute activities. Use the tools inside a workflow. A tool calls the activity
 * of the same name with the input and a {@linkcode ToolActivityCall}, and has no timeout.
 *
 * @param activities Activities from `proxyActivities`, keyed by tool name.
 * @param tools Names, descriptions and schemas of the tools.
 * @throws {TypeError} If a tool has no activity with the same name.
 *
 * @example Call the activity directly instead of in a workflow
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { activityTools, type ToolActivity } from "@parley/runtime/temporal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const pay: ToolActivity = (_input, { idempotencyKey }) => Promise.resolve(idempotencyKey);
 * const registry = new ToolRegistry();
 * const [tool] = activityTools({ pay }, [{ name: "pay", inputSchema: { type: "object" } }]);
 * if (tool) registry.register(tool);
 * const model = scriptedModel([{ calls: [{ toolName: "pay", input: {} }] }, { text: "Paid" }]);
 * const { messages } = await runToolLoop({ model, registry, runId: "r1" }, "Pay");
 * assertEquals(JSON.stringify(messages.at(2)).includes("r1/i0/tool/0"), true);
 * ```
 */
export function activityTools(
  activities: Readonly<Record<string, ToolActivity<never>>>,
  tools: readonly ActivityToolDefinition[],
): readonly Tool[] {
  assertRecord("activities", activities);
  if (!Array.isArray(tools)) rejectArgument("tools", "an array", tools);
  return tools.map((tool) => {
    const activity = activities[tool.name];
    if (typeof activity !== "function") {
      rejectArgument(`activities.${tool.name}`, "a function", activity);
    }
    return {
      ...tool,
      timeoutMs: 0,
      async execute(input, { toolCallId, idempotencyKey, runId, agentName }) {
        const call = { toolCallId, idempotencyKey, runId, agentName };
        try {
          // The cast is safe, because the tool's schema has validated the input.
          return await activity(toStepValue(input) as never, call);
        } catch (error) {
          throw causeOf(error);
        }
      },
    };
  });
}

/**
 * Calls a model on behalf of an activity. Use `runModelActivity` in the worker, as the
 * implementation of a {@linkcode ModelActivity}. Temporal retries the activity only after errors
 * that are marked as retryable, such as rate limits, and waits for the delay that the provider
 * requests.
 *
 * @param model Model to call.
 * @param request Request from {@linkcode activityModel}.
 * @param options The `ApplicationFailure` class, and the activity's cancellation signal.
 * @throws {TypeError} If an argument is invalid.
 * @throws {Error} The result of `ApplicationFailure.create`, if the model call fails or the request
 * is invalid.
 *
 * @example A request without messages is not retried
 * ```ts
 * import { runModelActivity } from "@parley/runtime/temporal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertRejects } from "@std/assert";
 *
 * const ApplicationFailure = {
 *   create: (options: { nonRetryable?: boolean }) => new Error(`final: ${options.nonRetryable}`),
 * };
 * const model = scriptedModel([{ text: "Hello" }]);
 * await assertRejects(() => runModelActivity(model, {}, { ApplicationFailure }), Error, "final: true");
 * ```
 */
export async function runModelActivity(
  model: LanguageModel,
  request: JsonValue,
  options: ModelActivityOptions,
): Promise<JsonValue> {
  assertModel("model", model);
  const { ApplicationFailure, signal } = readModelActivityOptions(options);
  try {
    return toStepValue(await model.generate({ ...readRequest(request), ...defined({ signal }) }));
  } catch (error) {
    signal?.throwIfAborted();
    throw ApplicationFailure.create({
      message: errorMessageOf(error),
      nonRetryable: !isRetryable(error),
      ...error instanceof Error ? { type: error.name, cause: error } : {},
      ...defined({ nextRetryDelay: retryDelayOf(error) }),
    });
  }
}

/** Validates the request from the workflow. */
function readRequest(value: JsonValue): ModelRequest {
  const { messages, tools, options } = asRecord(fromStepValue(value));
  if (!Array.isArray(messages)) rejectArgument("request.messages", "an array", messages);
  if (!Array.isArray(tools) || !tools.every(isToolDefinition)) {
    rejectArgument("request.tools", "an array of tool definitions", tools);
  }
  if (!isOptions(options)) rejectArgument("request.options", "an object", options);
  return { messages: readConversation(messages).messages, tools, options };
}

function isToolDefinition(value: unknown): value is ToolDefinition {
  return isRecord(value) && typeof value.name === "string" && isRecord(value.inputSchema);
}

/**
 * Returns true if the value is an object. The settings in the object are validated by the model
 * adapters.
 */
function isOptions(value: unknown): value is GenerationOptions {
  return isRecord(value);
}

/**
 * Returns the error thrown by an activity. Temporal wraps the activity's error in an
 * `ActivityFailure` with a generic message.
 */
function causeOf(error: unknown): unknown {
  const { cause } = asRecord(error);
  return cause instanceof Error ? cause : error;
}
