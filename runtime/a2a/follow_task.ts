/**
 * Sends a message to an agent, and follows the task until it ends or needs its client.
 *
 * @module
 */

import { sleep } from "@parley/internal/timers";
import { backOff } from "../shared/back_off.ts";
import type { A2aClient } from "./a2a_client.ts";
import type { A2aNewMessage } from "./client_message.ts";
import { A2aError } from "./errors.ts";
import type { RemoteTask } from "./remote_task.ts";
import type { StreamResponse } from "./types.ts";

/** A message, and the task to which the responses are applied. */
export interface FollowedMessage {
  readonly message: A2aNewMessage;
  /** URIs of the extensions to activate. */
  readonly extensions: readonly string[];
  /** Whether the agent starts one task if the message is sent again. */
  readonly canRepeat: boolean;
  readonly task: RemoteTask;
  readonly signal: AbortSignal;
  /** Called when the state of the task has changed. */
  readonly onChange: () => void;
}

/** A proxy can end a stream before the agent has responded. */
const EMPTY_STREAM = "The agent has ended the stream without a response";

/** Maximum number of consecutive failures to reach the agent. */
const MAX_FAILURES = 5;

/** Delay before the first and before further requests for the state of a task, in milliseconds. */
const [FIRST_DELAY_MS, MAX_DELAY_MS] = [500, 10_000];

/**
 * Sends a message, and applies the responses of the agent to the task. If a stream ends early, or
 * the agent does not stream, requests the state of the task until it changes.
 *
 * @throws {A2aError} If the agent responds with an error or an invalid response, or cannot be
 * reached repeatedly.
 * @throws The signal's reason if the signal is aborted.
 */
export async function followTask(client: A2aClient, followed: FollowedMessage): Promise<void> {
  const { canRepeat, signal, task } = followed;
  let failures = 0;
  for (let round = 1;; round++) {
    let updates = 0;
    try {
      for await (const response of readResponses(client, followed)) {
        updates++;
        if (task.apply(response)) followed.onChange();
        if (task.isOpen) continue;
        // Parts of an artifact may have been lost between two streams.
        if (round > 1 && !("task" in response)) await refresh(client, followed);
        // An agent that waits for its operator leaves the stream open.
        return;
      }
      if (updates === 0) throw new A2aError("UNAVAILABLE", EMPTY_STREAM);
      failures = 0;
    } catch (error) {
      const isUnavailable = error instanceof A2aError && error.reason === "UNAVAILABLE";
      if (!isUnavailable || task.id === undefined && !canRepeat) throw error;
      failures = updates > 0 ? 1 : failures + 1;
      if (failures > MAX_FAILURES) throw error;
    }
    await sleep(backOff(round, FIRST_DELAY_MS, MAX_DELAY_MS), signal);
  }
}

/** Reads all artifacts of the task. */
async function refresh(client: A2aClient, { signal, task }: FollowedMessage): Promise<void> {
  const { id } = task;
  if (id !== undefined) {
    task.apply({ task: await client.getTask(id, { historyLength: 0, signal }) });
  }
}

/** Sends the message or, if the task has been started, reads its state. */
async function* readResponses(
  client: A2aClient,
  { extensions, message, signal, task }: FollowedMessage,
): AsyncGenerator<StreamResponse, void> {
  const isStreaming = client.card.capabilities.streaming === true;
  const { id } = task;
  if (id === undefined) {
    const options = { extensions, historyLength: 0, signal };
    if (isStreaming) yield* client.stream(message, options);
    else yield await client.send(message, { ...options, returnImmediately: true });
    return;
  }
  if (isStreaming) {
    try {
      yield* client.subscribe(id, { signal });
      return;
    } catch (error) {
      // The task has ended in the meantime, or the agent does not offer the operation.
      if (!(error instanceof A2aError && error.reason === "UNSUPPORTED_OPERATION")) throw error;
    }
  }
  yield { task: await client.getTask(id, { historyLength: 0, signal }) };
}
