/**
 * Lists the tasks of a caller.
 *
 * @see {@link https://a2a-protocol.org/latest/specification/#314-list-tasks List tasks}
 * @module
 */

import { readHistoryLength } from "@parley/internal/a2a-request";
import { MAX_CONTEXT_ID_LENGTH } from "@parley/internal/a2a-message";
import {
  InvalidMember,
  type ProtoObject,
  readBoolean,
  readEnum,
  readInteger,
  readString,
  readTime,
} from "@parley/internal/proto-json";
import type { RunStatus } from "../runs/run_record.ts";
import type { Caller, ServedAgent, ServedRun, ServedRunFilter } from "../serve/contracts.ts";
import { TASK_STATES } from "./read_task.ts";
import { toTask } from "./task.ts";
import { toTaskState } from "./task_state.ts";
import type { A2aTask, A2aTaskState } from "./types.ts";

/** The response of the operation. */
interface TaskList {
  readonly tasks: readonly A2aTask[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** Status of all runs whose task can have a state. Absent if the runs have different statuses. */
const STATUS_OF: Readonly<Partial<Record<A2aTaskState, RunStatus>>> = {
  TASK_STATE_SUBMITTED: "queued",
  TASK_STATE_COMPLETED: "done",
  TASK_STATE_REJECTED: "done",
  TASK_STATE_INPUT_REQUIRED: "waiting",
  TASK_STATE_AUTH_REQUIRED: "waiting",
};

/** Lists the tasks of a caller, the most recently changed first. */
export async function listTasks(
  agent: ServedAgent,
  caller: Caller,
  params: ProtoObject,
): Promise<TaskList> {
  const pageSize = readInteger(params, "pageSize", [1, 100]) ?? 50;
  const view = {
    historyLength: readHistoryLength(params),
    withArtifacts: readBoolean(params, "includeArtifacts"),
  };
  const state = readEnum(params, "status", TASK_STATES);
  const status = state && STATUS_OF[state];
  const sessionId = readString(params, "contextId", MAX_CONTEXT_ID_LENGTH);
  const changedAfter = readTime(params, "statusTimestampAfter");
  const after = readString(params, "pageToken", MAX_TOKEN_LENGTH);
  const search: Search = {
    agent,
    caller,
    state,
    filter: {
      ...status !== undefined && { status },
      ...sessionId !== undefined && { sessionId },
      ...changedAfter !== undefined && { changedAfter: Math.max(changedAfter, 0) },
    },
  };
  const { next = "", runs } = await findPage(search, pageSize, after);
  const totalSize = await countAll(search);
  return { tasks: runs.map((run) => toTask(run, view)), nextPageToken: next, pageSize, totalSize };
}

/** A token is the position of a page, which can contain the id of a run. */
const MAX_TOKEN_LENGTH = 8192;

interface Search {
  readonly agent: ServedAgent;
  readonly caller: Caller;
  readonly state: A2aTaskState | undefined;
  readonly filter: ServedRunFilter;
}

/** Maximum number of pages of runs that one request reads. */
const MAX_PAGES = 100;

interface Page {
  readonly runs: readonly ServedRun[];
  readonly next?: string;
}

/** A page of tasks can be shorter than requested if few of the runs have the state. */
async function findPage(search: Search, size: number, from: string | undefined): Promise<Page> {
  const { agent, caller, filter, state } = search;
  const runs: ServedRun[] = [];
  let after = from;
  for (let pages = 0; pages < MAX_PAGES && runs.length < size; pages++) {
    const limit = size - runs.length;
    const position = after === undefined ? {} : { after };
    const page = await agent.list(caller, { ...filter, ...position, limit }).catch(rejectToken);
    runs.push(...page.runs.filter((run) => hasState(run, state)));
    if (page.next === undefined) return { runs };
    after = page.next;
  }
  return { runs, ...after !== undefined && { next: after } };
}

/** The filter was read before, so that only the position can be invalid. */
function rejectToken(error: unknown): never {
  if (error instanceof TypeError) throw new InvalidMember("pageToken", "the token of another page");
  throw error;
}

function hasState(run: ServedRun, state: A2aTaskState | undefined): boolean {
  return state === undefined || toTaskState(run.state) === state;
}

/** Counts the tasks. With a state, at most 10,000 runs are read. */
async function countAll({ agent, caller, filter, state }: Search): Promise<number> {
  if (state === undefined) {
    const { total = 0 } = await agent.list(caller, { ...filter, limit: 1, withTotal: true });
    return total;
  }
  let count = 0;
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const position = after === undefined ? {} : { after };
    const page = await agent.list(caller, { ...filter, ...position, limit: 100 });
    count += page.runs.filter((run) => hasState(run, state)).length;
    if (page.next === undefined) break;
    after = page.next;
  }
  return count;
}
