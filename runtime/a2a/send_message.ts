/**
 * Operations that send a message: to a new task, or to a task that waits for it.
 *
 * @see {@link https://a2a-protocol.org/latest/specification/#311-send-message Send message}
 * @module
 */

import { readSendRequest, type SendRequestJson } from "@parley/internal/a2a-request";
import { InvalidMember, type ProtoObject } from "@parley/internal/proto-json";
import { resolveWithin } from "@parley/internal/timers";
import type { Caller, ServedRun, ServedRunState } from "../serve/contracts.ts";
import { AgentError } from "../shared/error.ts";
import { digestOfJson } from "../loop/decisions.ts";
import type { UserTurn } from "../shared/model.ts";
import { A2aError } from "./errors.ts";
import { A2A_APPROVALS, A2A_UNIQUE_MESSAGE_IDS } from "./extensions.ts";
import { isAccepted } from "./media_types.ts";
import { toRunMetadata, toUserTurn } from "./message_turn.ts";
import { answerTask } from "./answer_task.ts";
import { type A2aService, type Exchange, type Outcome, takePlace } from "./service.ts";
import { toTask, withState } from "./task.ts";
import { readUpdates } from "./task_updates.ts";
import type { A2aMessage, A2aTask, SendMessageResponse, StreamResponse } from "./types.ts";

/** A message that was read and checked, and its caller. */
interface Sending {
  readonly caller: Caller;
  readonly request: SendRequestJson;
  readonly turn: UserTurn;
}

/** Sends a message. Responds when the task has ended or waits for the client. */
export async function sendMessage(
  service: A2aService,
  exchange: Exchange,
  params: ProtoObject,
): Promise<Outcome> {
  const sending = await readSending(service, exchange, params);
  const { configuration = {} } = sending.request;
  const run = await openTask(service, exchange, sending);
  const { historyLength, returnImmediately = false } = configuration;
  const view = { historyLength, withApprovals: canApprove(service, exchange) };
  if (returnImmediately) return { json: { task: toTask(run, view) } };
  const state = await waitForTask(run, exchange.request);
  return { json: toResponse(service, toTask(withState(run, state), view)) };
}

/** Sends a message. Responds with the updates of the task. */
export async function streamMessage(
  service: A2aService,
  exchange: Exchange,
  params: ProtoObject,
): Promise<Outcome> {
  const sending = await readSending(service, exchange, params);
  const { caller, request: { configuration } } = sending;
  const giveBack = takePlace(service, caller);
  try {
    const run = await openTask(service, exchange, sending);
    const view = {
      historyLength: configuration?.historyLength,
      withApprovals: canApprove(service, exchange),
    };
    const updates = (signal: AbortSignal): AsyncGenerator<StreamResponse, void> =>
      followTask(service, run, { ...view, caller, signal });
    return { updates, giveBack };
  } catch (error) {
    giveBack();
    throw error;
  }
}

interface Following {
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly historyLength: number | undefined;
  readonly withApprovals: boolean;
}

/**
 * Yields the updates of a task. The stream of a message also ends when the task requires input. It
 * stays open while the task waits for an approval, which may come from elsewhere (section 7.6.1).
 */
async function* followTask(
  service: A2aService,
  run: ServedRun,
  { caller, ...settings }: Following,
): AsyncGenerator<StreamResponse, void> {
  const refresh = (): Promise<ServedRun | undefined> => service.agent.get(caller, run.id);
  if (service.respondWith === "task") {
    yield* readUpdates(run, { ...settings, until: "input", refresh });
    return;
  }
  const state = await run.settled({ until: "waiting", signal: settings.signal });
  yield toResponse(service, toTask(withState(run, state), settings));
}

/** Returns `true` if the caller may decide on the tool calls of its tasks. */
export function canApprove({ approvals }: A2aService, { activated }: Exchange): boolean {
  return approvals === "caller" && activated.has(A2A_APPROVALS);
}

/** Starts a task, or passes the message to the task that waits for it. */
async function openTask(
  service: A2aService,
  exchange: Exchange,
  sending: Sending,
): Promise<ServedRun> {
  const { caller, request: { configuration, message } } = sending;
  const { agent, notifier } = service;
  const push = configuration?.taskPushNotificationConfig;
  if (push !== undefined && notifier === undefined) {
    throw new A2aError("PUSH_NOTIFICATION_NOT_SUPPORTED");
  }
  if (push === undefined || notifier === undefined) {
    return await passMessage(service, exchange, sending);
  }
  await notifier.check(push);
  const { taskId } = message;
  const giveBack = notifier.reserve(push, { caller, ...taskId !== undefined && { taskId } });
  try {
    const run = await passMessage(service, exchange, sending);
    const refresh = (): Promise<ServedRun | undefined> => agent.get(caller, run.id);
    // The configuration takes the place synchronously.
    giveBack();
    await notifier.create({ caller, run, refresh }, push);
    return run;
  } finally {
    giveBack();
  }
}

async function passMessage(
  service: A2aService,
  exchange: Exchange,
  sending: Sending,
): Promise<ServedRun> {
  const { caller, request: { message }, turn } = sending;
  if (message.taskId === undefined) return await startTask(service, exchange, sending);
  const approvals = canApprove(service, exchange);
  return await answerTask(service, { caller, message, turn, canApprove: approvals });
}

async function readSending(
  service: A2aService,
  { activated, caller: authenticated }: Exchange,
  { record }: ProtoObject,
): Promise<Sending> {
  const { allowAnonymous, extensions, inputModes, maxParts, outputModes } = service;
  const request = readSendRequest(record, maxParts);
  const { configuration, message } = request;
  if (message.role !== "ROLE_USER") throw new InvalidMember("message.role", '"ROLE_USER"');
  let caller = authenticated;
  for (const { check, uri } of extensions) {
    if (check !== undefined && activated.has(uri)) caller = await check(request, caller);
  }
  if (caller === undefined && !allowAnonymous) throw new A2aError("UNAUTHENTICATED");
  const accepted = configuration?.acceptedOutputModes;
  if (accepted !== undefined && !outputModes.some((mode) => isAccepted(mode, accepted))) {
    throw new A2aError("CONTENT_TYPE_NOT_SUPPORTED", "The agent has no accepted output mode");
  }
  return { caller, request, turn: toUserTurn(message.parts, inputModes) };
}

async function startTask(
  { agent }: A2aService,
  { activated }: Exchange,
  { caller, request: { message }, turn }: Sending,
): Promise<ServedRun> {
  const { contextId, messageId } = message;
  // Decision: without the extension, the id of a message is not compared with other ids.
  const requestId = activated.has(A2A_UNIQUE_MESSAGE_IDS)
    ? await digestOfJson({ messageId })
    : undefined;
  try {
    return await agent.start(caller, {
      turn,
      metadata: toRunMetadata(message),
      ifBusy: "queue",
      ...contextId !== undefined && { sessionId: contextId },
      ...requestId !== undefined && { requestId },
    });
  } catch (error) {
    if (!AgentError.isAgentError(error) || !error.is("run_conflict")) throw error;
    throw new InvalidMember("message.messageId", "an id that no other message has");
  }
}

/** Time after which a request is watched for the end of its connection, in milliseconds. */
const WATCH_AFTER_MS = 250;

/**
 * Waits until a task has ended or waits for the client. Stops waiting when the client disconnects,
 * which does not affect the task. `request.signal` is read only for slow tasks, because the first
 * access on Deno is slow and prints a warning.
 */
async function waitForTask(run: ServedRun, request: Request): Promise<ServedRunState> {
  const stop = new AbortController();
  const settling = run.settled({ until: "waiting", signal: stop.signal });
  const soon = await resolveWithin(settling, WATCH_AFTER_MS);
  if (soon !== undefined) return soon;
  const { signal } = request;
  const abort = (): void => stop.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await settling;
  } catch (error) {
    throw stop.signal.aborted
      ? new A2aError("INTERNAL_ERROR", "The client has disconnected")
      : error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function toResponse({ respondWith }: A2aService, task: A2aTask): SendMessageResponse {
  const parts = task.artifacts?.flatMap((artifact) => artifact.parts) ?? [];
  const isAnswer = task.status.state === "TASK_STATE_COMPLETED" && parts.length > 0;
  if (respondWith === "task" || !isAnswer) return { task };
  const message: A2aMessage = {
    messageId: `${task.id}/message`,
    role: "ROLE_AGENT",
    parts,
    contextId: task.contextId,
  };
  return { message };
}
