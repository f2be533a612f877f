/**
 * Tasks of the servers behind the gateway. A task belongs to the principal whose call started the
 * task.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md Tasks}
 * @module
 */

import type { Principal } from "../server/exchange_context.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { invalidParams, readText } from "../server/params.ts";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { Quota } from "@parley/internal/quota";
import type { GatewaySettings } from "./options.ts";
import type { Claim } from "./owners.ts";

/** A task on a server. */
export interface RelayedTask {
  /** Id of the task at the gateway. */
  readonly id: string;
  /** Claim of the item whose call started the task. */
  readonly claim: Claim;
  /** Id of the task on the server. */
  readonly taskId: string;
  /** Subject of the principal whose call started the task. */
  readonly subject: string | undefined;
}

/** The tasks that the gateway has relayed. */
export class RelayedTasks {
  readonly #quota: Quota;
  /** Tasks, keyed by gateway id, oldest first. */
  readonly #tasks = new Map<string, RelayedTask>();

  /**
   * Creates an empty collection. When a task is added to a full collection, the oldest task is
   * removed. When a principal has used up its share, that principal's oldest task is removed.
   */
  constructor(
    { maxTasks, maxSharePerPrincipal }: Pick<GatewaySettings, "maxTasks" | "maxSharePerPrincipal">,
  ) {
    this.#quota = new Quota(maxTasks, maxSharePerPrincipal);
  }

  /**
   * Stores the task in a result of type `task`. Returns the result with the task's id at the
   * gateway. The id at the gateway is random, because a server that has the gateway as its only
   * client need not choose ids that are hard to guess.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if the result has no valid
   * `taskId`.
   */
  add(claim: Claim, result: JsonObject, principal: Principal | undefined): JsonObject {
    const { taskId } = result;
    const { server } = claim;
    if (typeof taskId !== "string") {
      throw McpError.protocolError(`The server "${server}" sent a task that is not valid`, {
        rpcCode: RpcErrorCode.InternalError,
      });
    }
    const subject = principal?.subject;
    this.#makeRoom(subject);
    const id = `${server}_${crypto.randomUUID()}`;
    this.#quota.take(1, subject);
    this.#tasks.set(id, { id, claim, taskId, subject });
    return { ...result, taskId: id };
  }

  /**
   * Returns the task that a request refers to.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the principal has no task
   * with this id.
   */
  find(params: JsonObject, principal: Principal | undefined): RelayedTask {
    const task = this.get(readText(params, "taskId"), principal);
    if (task === undefined) throw invalidParams("Unknown task");
    return task;
  }

  /** Returns a task, or `undefined` if the principal has no task with the given id. */
  get(id: string, principal: Principal | undefined): RelayedTask | undefined {
    const task = this.#tasks.get(id);
    return task?.subject === principal?.subject ? task : undefined;
  }

  #makeRoom(subject: string | undefined): void {
    const isFull = !this.#quota.has(1, undefined);
    for (const task of this.#tasks.values()) {
      if (this.#quota.has(1, subject)) return;
      if (!isFull && task.subject !== subject) continue;
      this.#tasks.delete(task.id);
      this.#quota.take(-1, task.subject);
    }
  }
}
