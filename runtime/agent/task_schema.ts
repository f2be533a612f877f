/**
 * The input of a tool that passes a task to an agent.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import type { StandardSchema } from "../shared/schema.ts";

/** Default input schema: an object with a string property named `task`. */
export const TASK_SCHEMA: StandardSchema<unknown, { task: string }> = {
  "~standard": {
    version: 1,
    vendor: "parley",
    validate: (value) =>
      isRecord(value) && typeof value.task === "string"
        ? { value: { task: value.task } }
        : { issues: [{ message: "must be a string", path: ["task"] }] },
    jsonSchema: { input: toTaskSchema, output: toTaskSchema },
  },
};

function toTaskSchema(): Record<string, unknown> {
  const task = {
    type: "string",
    description: "The task, with all the information that is needed for it",
  };
  return { type: "object", properties: { task }, required: ["task"], additionalProperties: false };
}
