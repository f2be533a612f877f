/**
 * Tasks of the servers behind the gateway. A task belongs to the principal whose call started the task.
 *
 * @see {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md Tasks}
 * @module
 */

import type { Principal } from "../server/exchange_context.ts";
import { invalidParams, readText } from "../server/params.ts";
import type { JsonObject } from "../shared/json.ts";

/** A task of a server. */
export interface RelayedTask {
  /** Key of the server. */
  readonly server: string;
  /** The server's id of the task. */
  readonly taskId: string;
}

/** The tasks that the gateway has relayed. */
export class RelayedTasks {
  readonly #maxTasks: number;
  /** Tasks by their id at the gateway and the subject of the principal, oldest first. */
  readonly #tasks = new Map<string, RelayedTask>();

  /** Creates an empty collection. When a task is added to a full collection, the oldest task is removed. */
  constructor(maxTasks: number) {
    this.#maxTasks = maxTasks;
  }

  /** Stores the task of a result of type `task`. Returns the result with the task's id at the gateway. */
  add(server: string, result: JsonObject, principal: Principal | undefined): JsonObject {
    const { taskId } = result;
    if (typeof taskId !== "string") return result;
    const [oldest] = this.#tasks.size >= this.#maxTasks ? this.#tasks.keys() : [];
    if (oldest !== undefined) this.#tasks.delete(oldest);
    const task = { server, taskId };
    this.#tasks.set(keyOf(idOf(task), principal), task);
    return { ...result, taskId: idOf(task) };
  }

  /**
   * Returns the task of a request.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the principal has no such task.
   */
  find(params: JsonObject, principal: Principal | undefined): RelayedTask {
    const task = this.#tasks.get(keyOf(readText(params, "taskId"), principal));
    if (task === undefined) throw invalidParams("Unknown task");
    return task;
  }
}

/** Returns the id of a task at the gateway. */
export function idOf({ server, taskId }: RelayedTask): string {
  return `${server}_${taskId}`;
}

function keyOf(id: string, principal: Principal | undefined): string {
  return JSON.stringify([id, principal?.subject ?? null]);
}
