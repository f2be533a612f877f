/**
 * The operations of the protocol, which both bindings call.
 *
 * @see {@link https://a2a-protocol.org/latest/specification/#31-core-operations Core operations}
 * @module
 */

import { MAX_ID_LENGTH, MAX_TASK_ID_LENGTH } from "@parley/internal/a2a-message";
import { readHistoryLength, readPushConfig } from "@parley/internal/a2a-request";
import { type ProtoObject, requireString } from "@parley/internal/proto-json";
import { resolveWithin } from "@parley/internal/timers";
import type { ServedRun } from "../serve/contracts.ts";
import { A2aError } from "./errors.ts";
import { findTask } from "./find_task.ts";
import { listTasks } from "./list_tasks.ts";
import type { PushNotifier, PushTarget } from "./push_notifier.ts";
import { canApprove, sendMessage, streamMessage } from "./send_message.ts";
import { type A2aService, type Exchange, type Outcome, takePlace } from "./service.ts";
import { toTask, withState } from "./task.ts";
import { isEnded, toTaskState } from "./task_state.ts";
import { readUpdates } from "./task_updates.ts";

/**
 * Calls an operation.
 *
 * @param method Name of the operation, for example `GetTask`.
 * @throws {A2aError} If the operation is rejected.
 * @throws {InvalidMember} If a parameter is not valid.
 */
export async function callOperation(
  service: A2aService,
  exchange: Exchange,
  { method, params }: { readonly method: string; readonly params: ProtoObject },
): Promise<Outcome> {
  switch (method) {
    case "SendMessage":
      return await sendMessage(service, exchange, params);
    case "SendStreamingMessage":
      return await streamMessage(service, exchange, params);
  }
  // Only the author of a message can be verified by an extension.
  if (exchange.caller === undefined && !service.allowAnonymous) {
    throw new A2aError("UNAUTHENTICATED");
  }
  switch (method) {
    case "GetTask":
      return await getTask(service, exchange, params);
    case "ListTasks":
      return { json: await listTasks(service.agent, exchange.caller, params) };
    case "CancelTask":
      return await cancelTask(service, exchange, params);
    case "SubscribeToTask":
      return await subscribe(service, exchange, params);
    case "GetExtendedAgentCard":
      return await getExtendedCard(service, exchange);
    case "CreateTaskPushNotificationConfig":
    case "GetTaskPushNotificationConfig":
    case "ListTaskPushNotificationConfigs":
    case "DeleteTaskPushNotificationConfig":
      return await callPushOperation(service, exchange, { method, params });
    default:
      throw new A2aError("METHOD_NOT_FOUND");
  }
}

async function readTask(
  { agent }: A2aService,
  { caller }: Exchange,
  { name, params }: { readonly name: string; readonly params: ProtoObject },
): Promise<ServedRun> {
  return await findTask(agent, caller, requireString(params, name, MAX_TASK_ID_LENGTH));
}

async function getTask(
  service: A2aService,
  exchange: Exchange,
  params: ProtoObject,
): Promise<Outcome> {
  const historyLength = readHistoryLength(params);
  const run = await readTask(service, exchange, { name: "id", params });
  return { json: toTask(run, { historyLength, withApprovals: canApprove(service, exchange) }) };
}

/** Time to wait for the end of a cancelled run, in milliseconds. A tool can ignore the signal. */
const CANCEL_WAIT_MS = 1000;

async function cancelTask(
  service: A2aService,
  exchange: Exchange,
  params: ProtoObject,
): Promise<Outcome> {
  const run = await readTask(service, exchange, { name: "id", params });
  if (!await run.cancel()) {
    throw new A2aError("TASK_NOT_CANCELABLE", undefined, { metadata: { taskId: run.id } });
  }
  const stop = new AbortController();
  const ending = run.settled({ until: "ended", signal: stop.signal });
  const state = await resolveWithin(ending, CANCEL_WAIT_MS);
  if (state !== undefined) return { json: toTask(withState(run, state)) };
  ending.catch(() => {
    // Rejects because the wait is stopped.
  });
  stop.abort();
  return { json: toTask(await findTask(service.agent, exchange.caller, run.id)) };
}

async function subscribe(
  service: A2aService,
  exchange: Exchange,
  params: ProtoObject,
): Promise<Outcome> {
  const { caller } = exchange;
  const run = await readTask(service, exchange, { name: "id", params });
  if (isEnded(toTaskState(run.state))) {
    throw new A2aError("UNSUPPORTED_OPERATION", "The task has ended");
  }
  const withApprovals = canApprove(service, exchange);
  const refresh = (): Promise<ServedRun | undefined> => service.agent.get(caller, run.id);
  const settings = { until: "ended", withApprovals, refresh } as const;
  const giveBack = takePlace(service, caller);
  return { giveBack, updates: (signal) => readUpdates(run, { ...settings, signal }) };
}

async function getExtendedCard(
  { extendedCard }: A2aService,
  { caller }: Exchange,
): Promise<Outcome> {
  if (extendedCard === undefined) throw new A2aError("UNSUPPORTED_OPERATION");
  if (caller === undefined) throw new A2aError("UNAUTHENTICATED");
  const card = await extendedCard(caller);
  if (card === undefined) throw new A2aError("EXTENDED_AGENT_CARD_NOT_CONFIGURED");
  return { json: card };
}

/** An operation on the configurations of a task. */
interface PushCall {
  readonly method:
    | "CreateTaskPushNotificationConfig"
    | "GetTaskPushNotificationConfig"
    | "ListTaskPushNotificationConfigs"
    | "DeleteTaskPushNotificationConfig";
  readonly params: ProtoObject;
}

async function callPushOperation(
  service: A2aService,
  exchange: Exchange,
  call: PushCall,
): Promise<Outcome> {
  const { agent, notifier } = service;
  const { caller } = exchange;
  if (notifier === undefined) throw new A2aError("PUSH_NOTIFICATION_NOT_SUPPORTED");
  const { method, params } = call;
  const run = await readTask(service, exchange, { name: "taskId", params });
  const refresh = (): Promise<ServedRun | undefined> => agent.get(caller, run.id);
  const target: PushTarget = { caller, run, refresh };
  if (method === "CreateTaskPushNotificationConfig") {
    return { json: await createConfig(notifier, target, params) };
  }
  if (method === "ListTaskPushNotificationConfigs") {
    return { json: { configs: await notifier.list(target), nextPageToken: "" } };
  }
  const id = requireString(params, "id", MAX_ID_LENGTH);
  if (method === "GetTaskPushNotificationConfig") return { json: await notifier.get(target, id) };
  await notifier.delete(target, id);
  return { json: {} };
}

async function createConfig(
  notifier: PushNotifier,
  target: PushTarget,
  params: ProtoObject,
): Promise<unknown> {
  const config = readPushConfig(params);
  await notifier.check(config);
  return await notifier.create(target, config);
}
