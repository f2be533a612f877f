/**
 * Tools that send tasks to an agent over A2A.
 *
 * @module
 */

import { assertNonEmptyString, rejectArgument } from "@parley/internal/assert-argument";
import { escapeText, excerpt } from "@parley/internal/escape-text";
import { integerFrom } from "@parley/internal/option-checks";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { TASK_SCHEMA } from "../agent/task_schema.ts";
import { digestOfJson } from "../loop/decisions.ts";
import { errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { limitRate } from "../shared/limit_rate.ts";
import { type Tool, type ToolContext, ToolError } from "../tools/tool.ts";
import { A2aClient } from "./a2a_client.ts";
import { A2A_UNIQUE_MESSAGE_IDS } from "./extensions.ts";
import { type FollowedMessage, followTask } from "./follow_task.ts";
import { RemoteTask } from "./remote_task.ts";

/** Options for {@linkcode remoteA2aAgent}. */
export interface RemoteA2aAgentOptions {
  /** Client that is connected to the agent. */
  readonly client: A2aClient;
  /**
   * Name of the tool. If omitted, the name in the agent's card, without characters such as spaces.
   */
  readonly name?: string;
  /**
   * Description of the tool for the calling agent's model. If omitted, the description in the
   * agent's card, of which at most 1000 characters are used.
   */
  readonly description?: string;
  /**
   * Maximum length of a result, in UTF-16 code units. The rest is omitted, and the model is
   * informed.
   *
   * @default {100_000}
   */
  readonly maxResultChars?: number;
}

const readOptions = optionsReader<RemoteA2aAgentOptions>("options")({
  client: required((name, value) => {
    if (!(value instanceof A2aClient)) rejectArgument(name, "an A2aClient", value);
  }),
  name: assertNonEmptyString,
  description: assertNonEmptyString,
  maxResultChars: withDefault(100_000, integerFrom(1)),
});

/** Maximum length of a text of the agent that explains a state, in UTF-16 code units. */
const MAX_TEXT_LENGTH = 1000;

/** Minimum time between two reported changes of the state, in milliseconds. */
const REPORT_INTERVAL_MS = 100;

/** Timeout for the cancellation of a task whose run was aborted, in milliseconds. */
const CANCEL_TIMEOUT_MS = 5000;

/**
 * Creates a tool that sends a task to an agent over A2A, and returns the agent's result: its data
 * or, if it returns anything else, its text. Changes of the state become `tool_progress` events, at
 * most ten per second. If a connection ends early, the tool continues to follow the task.
 *
 * If the agent needs input or an authorization, the result is an object with the `status`
 * `input_required` or `auth_required`, the `message` of the agent and the `taskId`, with which the
 * program can send a message to the task. The result is an error if the task fails, is rejected or
 * canceled, or ends without a result, or if the agent cannot be reached. Aborting the run cancels
 * the task. The tool itself has no timeout; that of the client applies to each response.
 *
 * The id of the message is derived from the tool call's `idempotencyKey`. If the agent's card
 * declares {@linkcode A2A_UNIQUE_MESSAGE_IDS}, a durable run that repeats the call after a crash
 * does not start the task twice. Otherwise, the tool is not declared as idempotent.
 *
 * @param options Client, name and description of the tool, and maximum length of a result.
 * @throws {TypeError} If an option is not valid, or the name in the card has no letters or digits.
 *
 * @example Ask an agent that is served over A2A
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { A2aClient, remoteA2aAgent } from "@parley/runtime/a2a";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const card = {
 *   name: "oracle",
 *   description: "Answers difficult questions",
 *   supportedInterfaces: [
 *     { url: "https://oracle.example/a2a", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
 *   ],
 * };
 * // Acts as the agent.
 * const fetch = (_: string, { method }: RequestInit) => {
 *   const message = { messageId: "m1", role: "ROLE_AGENT", parts: [{ text: "42" }] };
 *   return Promise.resolve(Response.json(method === "POST" ? { message } : card));
 * };
 * const client = await A2aClient.connect("https://oracle.example", { fetch });
 *
 * const agent = new ToolLoopAgent({
 *   name: "clerk",
 *   model: scriptedModel([
 *     { calls: [{ toolName: "oracle", input: { task: "6 * 7?" } }] },
 *     { text: "It is 42" },
 *   ]),
 *   tools: [remoteA2aAgent({ client })],
 * });
 * const { iterations } = await agent.run("What is 6 * 7?");
 * assertEquals(iterations[0]?.toolResults[0]?.output, { type: "text", value: "42" });
 * await agent.terminate();
 * ```
 */
export function remoteA2aAgent(options: RemoteA2aAgentOptions): Tool<{ task: string }, JsonValue> {
  const { client, description, maxResultChars, ...given } = readOptions(options);
  const name = given.name ?? toToolName(client.card.name);
  const { capabilities, description: inCard } = client.card;
  const canRepeat = capabilities.extensions?.some(({ uri }) => uri === A2A_UNIQUE_MESSAGE_IDS) ??
    false;
  return {
    name,
    description: description ?? excerpt(inCard, MAX_TEXT_LENGTH),
    inputSchema: TASK_SCHEMA,
    annotations: { openWorld: true, ...canRepeat && { idempotent: true } },
    timeoutMs: 0,
    async execute({ task: text }, context) {
      const task = new RemoteTask(maxResultChars);
      const messageId = await digestOfJson(context.idempotencyKey);
      const message = { messageId, parts: [{ text }] };
      try {
        await ask(client, context, { message, canRepeat, task });
      } catch (error) {
        context.signal.throwIfAborted();
        const reason = excerpt(errorMessageOf(error), MAX_TEXT_LENGTH);
        throw new ToolError(escapeText(`Agent "${name}" failed: ${reason}`), { cause: error });
      }
      return toResult(name, task);
    },
  };
}

/** Sends the message, and follows the task. Cancels the task if the run is aborted. */
async function ask(
  client: A2aClient,
  { report, signal }: ToolContext,
  sent: Pick<FollowedMessage, "message" | "canRepeat" | "task">,
): Promise<void> {
  const { canRepeat, task } = sent;
  // A change that cannot be reported has no effect on the task.
  const changes = limitRate<JsonValue>(REPORT_INTERVAL_MS, report, () => {});
  try {
    await followTask(client, {
      ...sent,
      extensions: canRepeat ? [A2A_UNIQUE_MESSAGE_IDS] : [],
      signal,
      onChange: () => changes.push(toProgress(task)),
    });
  } catch (error) {
    if (signal.aborted && task.id !== undefined) await cancel(client, task.id);
    throw error;
  } finally {
    changes.end();
  }
}

/** The run has been aborted, so no caller receives an error. */
async function cancel(client: A2aClient, id: string): Promise<void> {
  await client.cancelTask(id, { timeoutMs: CANCEL_TIMEOUT_MS }).catch(() => {});
}

function toProgress({ explanation, state }: RemoteTask): JsonValue {
  if (explanation === "") return { status: state };
  return { status: state, message: excerpt(explanation, MAX_TEXT_LENGTH) };
}

function toResult(name: string, task: RemoteTask): JsonValue {
  const { explanation, id = null, isTruncated, state } = task;
  const message = excerpt(explanation, MAX_TEXT_LENGTH);
  switch (state) {
    case "input_required":
    case "auth_required":
      return { status: state, message, taskId: id };
    case "completed": {
      const result = task.result();
      if (result !== undefined && !isTruncated) return result;
      if (result !== undefined) return `${result}\n\n[The rest of the result is omitted.]`;
    }
  }
  const reason = state === "completed" && isTruncated ? "its result is too long" : message;
  const cause = reason === "" ? "" : `: ${reason}`;
  throw new ToolError(escapeText(`Agent "${name}" ended with status "${state}"${cause}`));
}

/** Replaces the characters that providers do not allow in the name of a tool. */
function toToolName(name: string): string {
  const allowed = name.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64);
  if (/[A-Za-z0-9]/.test(allowed)) return allowed;
  throw new TypeError('"name" must be set, because the name in the card has no letters or digits');
}
