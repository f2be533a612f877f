/**
 * The endpoint that serves an agent over A2A.
 *
 * @module
 */

import { assertMethods } from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { CallerPlaces } from "../serve/caller_places.ts";
import type { ServedAgent, ServedContext, ServedHandler } from "../serve/contracts.ts";
import { A2A_APPROVALS, A2A_UNIQUE_MESSAGE_IDS, toAgentExtension } from "./extensions.ts";
import { type A2aHandlerOptions, readHandlerOptions } from "./handler_options.ts";
import { handleHttp, httpPathOf } from "./http_binding.ts";
import { handleRpc } from "./json_rpc_binding.ts";
import { PushNotifier } from "./push_notifier.ts";
import { readPushOptions, toPushSettings } from "./push_options.ts";
import type { A2aService } from "./service.ts";
import type { A2aAgentExtension, AgentCapabilities } from "./types.ts";

/** An endpoint that serves an agent over A2A. */
export interface A2aHandler extends ServedHandler {
  /** Optional features that the endpoint supports, for the card of the agent. */
  readonly capabilities: AgentCapabilities;
  /** Media types that the endpoint accepts, for the card of the agent. */
  readonly inputModes: readonly string[];
  /** Media types that the endpoint produces, for the card of the agent. */
  readonly outputModes: readonly string[];
}

/**
 * Creates an endpoint that serves an agent over A2A 1.0, with both bindings at one URL: `POST` to
 * the URL is JSON-RPC, and the paths below it, such as `/message:send`, are HTTP+JSON. Therefore
 * the path of the URL must not contain the segment `tasks`.
 *
 * A task is a run of the agent, and a context is a session of the caller. A task of another caller
 * does not exist for the caller. A request without a principal is rejected, unless `allowAnonymous`
 * is set: pass the principal in the context, or wrap the handler in `resourceServer` from
 * `@parley/mcp/auth` or in `withBearer`. The card is served by `agentCardHandler`, because it must
 * be readable without a token.
 *
 * The history of a task contains the message that has started it, without parts that do not fit
 * into 32 KiB. The metadata of the run contains this message as `a2aMessage`.
 *
 * @param agent Agent to serve.
 * @param options Media types, limits, push notifications and extensions.
 * @throws {TypeError} If an argument has the wrong type.
 * @throws {RangeError} If a limit is out of range.
 *
 * @example Serve an agent
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { a2aHandler } from "@parley/runtime/a2a";
 * import { serveSessions } from "@parley/runtime/serve";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * await using agent = serveSessions({
 *   storage: memoryStorage(),
 *   make: () => new ToolLoopAgent({ name: "oracle", model: scriptedModel([{ text: "42" }]) }),
 * });
 * const handler = a2aHandler(agent);
 *
 * const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "6 times 7?" }] };
 * const response = await handler(
 *   new Request("https://oracle.example/a2a/message:send", {
 *     method: "POST",
 *     headers: { "content-type": "application/json", "a2a-version": "1.0" },
 *     body: JSON.stringify({ message }),
 *   }),
 *   { principal: { subject: "alice" } },
 * );
 * const { task } = await response.json();
 * assertEquals(task.status.state, "TASK_STATE_COMPLETED");
 * assertEquals(task.artifacts[0].parts, [{ text: "42" }]);
 * ```
 */
export function a2aHandler(agent: ServedAgent, options: A2aHandlerOptions = {}): A2aHandler {
  assertMethods("agent", "a ServedAgent", agent, ["start", "get", "list"]);
  const { maxStreamsPerCaller, onError, push, ...settings } = readHandlerOptions(options);
  const service: A2aService = {
    ...settings,
    agent,
    notifier: push && new PushNotifier(toPushSettings(readPushOptions(push, "push"))),
    streams: new CallerPlaces(maxStreamsPerCaller),
    report: createErrorReporter("a2aHandler", onError),
  };
  const handle = async (request: Request, context: ServedContext = {}): Promise<Response> => {
    const path = httpPathOf(new URL(request.url).pathname);
    return path === undefined
      ? await handleRpc(service, request, context)
      : await handleHttp(service, request, { context, path });
  };
  const { inputModes, outputModes } = settings;
  return Object.assign(handle, { capabilities: capabilitiesOf(service), inputModes, outputModes });
}

function capabilitiesOf(service: A2aService): AgentCapabilities {
  const { approvals, extendedCard, extensions, notifier } = service;
  const own: readonly A2aAgentExtension[] = [
    { uri: A2A_UNIQUE_MESSAGE_IDS },
    ...approvals === "caller" ? [{ uri: A2A_APPROVALS }] : [],
  ];
  return {
    streaming: true,
    pushNotifications: notifier !== undefined,
    extendedAgentCard: extendedCard !== undefined,
    extensions: [...own, ...extensions.map(toAgentExtension)],
  };
}
