/**
 * Reads pages of tasks.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import {
  invalidMember,
  memberOf,
  readInteger,
  readString,
  toProtoObject,
} from "@parley/internal/proto-json";
import { readTask } from "./read_task.ts";
import type { A2aTask } from "./types.ts";

/** A page of tasks. */
export interface A2aTaskPage {
  /** The tasks, the most recently changed first. */
  readonly tasks: readonly A2aTask[];
  /** Position of the next page. Absent on the last page. */
  readonly nextPageToken?: string;
  /** Number of tasks on all pages. Absent if the agent does not return it. */
  readonly totalSize?: number;
}

/** The protocol allows at most 100 tasks on a page. */
const MAX_TASKS = 1000;

/** @throws {InvalidMember} If the page is not valid. */
export function readTaskPage(value: unknown): A2aTaskPage {
  const from = toProtoObject(value, "response");
  const list = memberOf(from, "tasks") ?? [];
  if (!Array.isArray(list) || list.length > MAX_TASKS) {
    throw invalidMember(from, "tasks", `an array of at most ${MAX_TASKS} tasks`);
  }
  return {
    tasks: list.map((task, index) => readTask(task, `response.tasks[${index}]`)),
    ...defined({
      nextPageToken: readString(from, "nextPageToken", 65_536),
      totalSize: readInteger(from, "totalSize", [0, 2 ** 31 - 1]),
    }),
  };
}
