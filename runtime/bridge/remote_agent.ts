/**
 * Tools that send tasks to an agent in another program.
 *
 * @module
 */

import { TASK_SCHEMA } from "../agent/task_schema.ts";
import { digestOfJson } from "../loop/decisions.ts";
import { assertCount, assertNonEmptyString } from "@parley/internal/assert-argument";
import { optionsReader, required } from "@parley/internal/options";
import { isJsonValue, type JsonValue } from "../shared/json.ts";
import { defined } from "@parley/internal/json";
import { limitRate } from "../shared/limit_rate.ts";
import { type Tool, ToolError } from "../tools/tool.ts";
import { readTaskResponse, type TaskRequest, type TaskResponse } from "./task.ts";
import { escapeText } from "@parley/internal/escape-text";
import { withMethods } from "@parley/internal/option-checks";

/** Sends requests to other agents. A `Peer` from `@parley/comm/requests` has a `request` method. */
export interface RequestSender {
  /**
   * Sends a request and returns the payload of the response.
   *
   * @param recipient DID of the agent.
   * @param payload Payload of the request.
   * @param options Abort signal, timeouts, and a callback for the payload of each update.
   */
  request(recipient: string, payload: JsonValue, options: {
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
    readonly maxTotalMs?: number;
    readonly onUpdate?: (payload: JsonValue) => void;
  }): Promise<unknown>;
}

/** Options for {@linkcode remoteAgent}. */
export interface RemoteAgentOptions {
  /** Name of the tool. */
  readonly name: string;
  /** Description of the tool for the calling agent's model. */
  readonly description: string;
  /** DID of the agent that receives the tasks. */
  readonly recipient: string;
  /** Peer that sends the requests. The peer's protocol must be `agent.task.v1`. */
  readonly peer: RequestSender;
  /** Maximum time without a reply, in milliseconds. If omitted, the peer's default applies. */
  readonly timeoutMs?: number;
  /** Maximum duration of a request, in milliseconds. If omitted, the peer's default applies. */
  readonly maxTotalMs?: number;
}

const readRemoteAgentOptions = optionsReader<RemoteAgentOptions>("options")({
  name: required(assertNonEmptyString),
  description: required(assertNonEmptyString),
  recipient: required(assertNonEmptyString),
  peer: required(withMethods("a Peer", ["request"])),
  timeoutMs: assertCount,
  maxTotalMs: assertCount,
});

/**
 * Creates a tool that sends a task to a remote agent over the `agent.task.v1` protocol, and returns
 * the agent's answer: the `value` or, if there is none, the text.
 *
 * The id of the task is derived from the tool call's `idempotencyKey`. If a durable run repeats the
 * call after a crash, the same task is sent again, and an agent that is served with `agentService`
 * returns the recorded result. Updates from the agent become `tool_progress` events, at most ten
 * per second; of more updates, the newest is reported. Aborting the run cancels the request. The
 * tool itself has no timeout; the timeouts of the peer apply.
 *
 * The result is an error if the agent rejects the task, fails, returns no final text, or waits for
 * an approval. The operator of the serving side decides on the approval, not the requester.
 *
 * @param options Name and description of the tool, DID of the agent, and the peer.
 * @throws {TypeError} If `name`, `description` or `recipient` is not a non-empty string, or `peer`
 * has no `request` method.
 * @throws {RangeError} If `timeoutMs` or `maxTotalMs` is not positive.
 *
 * @example Ask an agent simulated by a function
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { remoteAgent } from "@parley/runtime/bridge";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const oracle = remoteAgent({
 *   name: "ask_oracle",
 *   description: "Answers difficult questions",
 *   recipient: "did:web:oracle.example",
 *   peer: { request: () => Promise.resolve({ status: "model_stop", text: "42" }) },
 * });
 * const agent = new ToolLoopAgent({
 *   name: "a",
 *   model: scriptedModel([
 *     { calls: [{ toolName: "ask_oracle", input: { task: "6 * 7?" } }] },
 *     { text: "It is 42" },
 *   ]),
 *   tools: [oracle],
 * });
 * const { iterations } = await agent.run("What is 6 * 7?");
 * assertEquals(iterations[0]?.toolResults[0]?.output, { type: "text", value: "42" });
 * await agent.terminate();
 * ```
 */
export function remoteAgent(options: RemoteAgentOptions): Tool<{ task: string }, JsonValue> {
  const { description, maxTotalMs, name, peer, recipient, timeoutMs } = readRemoteAgentOptions(
    options,
  );
  return {
    name,
    description,
    inputSchema: TASK_SCHEMA,
    annotations: { idempotent: true, openWorld: true },
    timeoutMs: 0,
    async execute({ task: content }, { idempotencyKey, report, signal }) {
      const task: TaskRequest = { taskId: await digestOfJson(idempotencyKey), content };
      // An update that cannot be reported has no effect on the task.
      const updates = limitRate<JsonValue>(UPDATE_INTERVAL_MS, report, () => {});
      const onUpdate = (update: JsonValue): void => {
        if (isJsonValue(update)) updates.push(update);
      };
      const options = { signal, onUpdate, ...defined({ timeoutMs, maxTotalMs }) };
      let payload: unknown;
      try {
        payload = await peer.request(recipient, task, options);
      } finally {
        updates.end();
      }
      const response = readTaskResponse(payload);
      if (typeof response === "string") {
        throw new ToolError(
          escapeText(`Agent "${name}" returned an invalid response: ${response}`),
        );
      }
      return answerOf(name, response);
    },
  };
}

/**
 * Minimum time between two reported updates, in milliseconds. An agent can send updates faster than
 * a listener reads the events.
 */
const UPDATE_INTERVAL_MS = 100;

/** Statuses of responses whose text is not a final answer. */
const WITHOUT_ANSWER: ReadonlySet<string> = new Set([
  "aborted",
  "approval_pending",
  "cancelled",
  "content_filtered",
  "failed",
  "output_invalid",
  "output_truncated",
  "rejected",
  "terminated",
  "waiting",
]);

function answerOf(
  name: string,
  { pending = [], reason, status, text, value }: TaskResponse,
): JsonValue {
  if (!WITHOUT_ANSWER.has(status)) {
    if (value !== undefined) return value;
    if (text !== "") return text;
  }
  const keys = pending.map(({ key }) => key);
  const wait = keys.length === 0 ? "" : `; its operator must decide on ${keys.join(", ")}`;
  const cause = reason === undefined ? "" : `: ${reason}`;
  throw new ToolError(escapeText(`Agent "${name}" ended with status "${status}"${cause}${wait}`));
}
