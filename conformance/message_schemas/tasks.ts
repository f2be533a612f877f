/**
 * Schemas of tasks: the feature of 2025-11-25, and the extension for later versions.
 *
 * @see
 * {@link https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md Tasks}
 * @module
 */

import { inputRequests } from "./input_requests.ts";
import {
  allOf,
  ANY,
  INTEGER,
  type Members,
  OBJECT,
  object,
  oneOf,
  type Schema,
  STRING,
  when,
} from "./parts.ts";
import type { MessageVersion } from "./versions.ts";

const STATUS: Schema = oneOf("working", "input_required", "completed", "failed", "cancelled");
const LIFETIME: Schema = { type: ["integer", "null"] };

const DESCRIPTION: Members = {
  taskId: STRING,
  status: STATUS,
  createdAt: STRING,
  lastUpdatedAt: STRING,
};

/** A task of 2025-11-25. */
export const LEGACY_TASK: Schema = object({ ...DESCRIPTION, ttl: LIFETIME }, {
  statusMessage: STRING,
  pollInterval: INTEGER,
});

/** A task of the extension, as a call returns it. */
export const CREATED_TASK: Schema = object({ ...DESCRIPTION, ttlMs: LIFETIME }, {
  statusMessage: STRING,
  pollIntervalMs: INTEGER,
});

/** A task of the extension with the members of its status. */
export function taskState(version: MessageVersion): Schema {
  const error = object({ code: INTEGER, message: STRING }, { data: ANY });
  return allOf(
    CREATED_TASK,
    when("status", ["input_required"], object({ inputRequests: inputRequests(version) })),
    when("status", ["completed"], object({ result: OBJECT })),
    when("status", ["failed"], object({ error })),
  );
}
