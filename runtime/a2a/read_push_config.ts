/**
 * Reads configurations of push notifications, as an agent sends them.
 *
 * @module
 */

import { readPushConfig } from "@parley/internal/a2a-request";
import { defined } from "@parley/internal/json";
import { invalidMember, memberOf, toProtoObject } from "@parley/internal/proto-json";
import type { PushConfig } from "./push_config.ts";

/** Maximum number of configurations of a task. */
const MAX_CONFIGS = 1000;

/** A configuration that is expected. */
export interface ExpectedConfig {
  /** Id of the task that was requested. */
  readonly taskId: string;
  readonly path?: string;
}

/** @throws {InvalidMember} If the configuration is not valid, or belongs to another task. */
export function readReceivedConfig(
  value: unknown,
  { path = "config", taskId }: ExpectedConfig,
): PushConfig {
  const from = toProtoObject(value, path);
  const { authentication, id, token, url, ...rest } = readPushConfig(from);
  if (id === undefined) throw invalidMember(from, "id", "a non-empty string");
  if (rest.taskId !== taskId) throw invalidMember(from, "taskId", "the id of the task");
  return { id, taskId, url, ...defined({ authentication, token }) };
}

/** @throws {InvalidMember} If the list or a configuration in it is not valid. */
export function readReceivedConfigs(
  value: unknown,
  { taskId }: ExpectedConfig,
): readonly PushConfig[] {
  const from = toProtoObject(value, "response");
  const list = memberOf(from, "configs") ?? [];
  if (!Array.isArray(list) || list.length > MAX_CONFIGS) {
    throw invalidMember(from, "configs", `an array of at most ${MAX_CONFIGS} configurations`);
  }
  return list.map((config, index) =>
    readReceivedConfig(config, { taskId, path: `response.configs[${index}]` })
  );
}
