/**
 * Checks that responses belong to the task that was requested.
 *
 * @module
 */

import { invalidResponse } from "./client_exchange.ts";
import type { StreamResponse } from "./types.ts";

/** Ids that the responses to a request must have. */
export class TaskIds {
  #taskId: string | undefined;
  #contextId: string | undefined;

  constructor(expected: string | { readonly taskId?: string; readonly contextId?: string }) {
    if (typeof expected === "string") return;
    this.#taskId = expected.taskId;
    this.#contextId = expected.contextId;
  }

  /**
   * Checks a response, and expects its ids in the next one.
   *
   * @throws {A2aError} With reason `INVALID_AGENT_RESPONSE` if the response belongs to another task
   * or to another conversation.
   */
  check(response: StreamResponse): void {
    const { contextId, taskId } = idsOf(response);
    this.#taskId ??= taskId;
    this.#contextId ??= contextId;
    if (taskId !== undefined && taskId !== this.#taskId) {
      throw invalidResponse("the response belongs to another task");
    }
    if (contextId !== undefined && contextId !== this.#contextId) {
      throw invalidResponse("the response belongs to another conversation");
    }
  }
}

function idsOf(
  response: StreamResponse,
): { readonly taskId?: string | undefined; readonly contextId?: string | undefined } {
  if ("task" in response) {
    return { taskId: response.task.id, contextId: response.task.contextId };
  }
  if ("message" in response) return response.message;
  return "statusUpdate" in response ? response.statusUpdate : response.artifactUpdate;
}
