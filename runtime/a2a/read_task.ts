/**
 * Reads tasks, their artifacts and updates, as an agent sends them.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import {
  InvalidMember,
  invalidMember,
  memberOf,
  pathOf,
  type ProtoObject,
  readBoolean,
  readEnum,
  readJsonObject,
  readObject,
  readString,
  readStrings,
  readTime,
  requireObject,
  requireString,
  toProtoObject,
} from "@parley/internal/proto-json";
import {
  MAX_CONTEXT_ID_LENGTH,
  MAX_TASK_ID_LENGTH,
  readMessage,
  readParts,
  toOptional,
} from "@parley/internal/a2a-message";
import type {
  A2aArtifact,
  A2aArtifactUpdate,
  A2aStatusUpdate,
  A2aTask,
  A2aTaskState,
  A2aTaskStatus,
  SendMessageResponse,
  StreamResponse,
} from "./types.ts";

/** All states of a task, each at the index of its number in Protocol Buffers. */
export const TASK_STATES: readonly A2aTaskState[] = [
  "TASK_STATE_UNSPECIFIED",
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
];

/** Maximum number of artifacts of a task, and of messages in its history. */
const MAX_ITEMS = 1000;

/** Maximum number of parts of a message or an artifact from an agent. */
const MAX_RECEIVED_PARTS = 1000;

/**
 * Reads a task.
 *
 * @throws {InvalidMember} If the task is not valid.
 */
export function readTask(value: unknown, path = "task"): A2aTask {
  const from = toProtoObject(value, path);
  const artifacts = readList(from, "artifacts", readArtifact);
  const history = readList(
    from,
    "history",
    (item, at) => readMessage(item, at, MAX_RECEIVED_PARTS),
  );
  return {
    id: requireString(from, "id", MAX_TASK_ID_LENGTH),
    contextId: requireString(from, "contextId", MAX_CONTEXT_ID_LENGTH),
    status: readStatus(from),
    ...defined({ artifacts, history, metadata: readJsonObject(from, "metadata") }),
  };
}

function readList<Item>(
  from: ProtoObject,
  name: string,
  read: (value: unknown, path: string) => Item,
): readonly Item[] | undefined {
  const list = memberOf(from, name);
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length > MAX_ITEMS) {
    throw invalidMember(from, name, `an array of at most ${MAX_ITEMS} items`);
  }
  const path = pathOf(from, name);
  return list.length === 0 ? undefined : list.map((item, index) => read(item, `${path}[${index}]`));
}

function readStatus(parent: ProtoObject): A2aTaskStatus {
  const from = requireObject(parent, "status");
  const state = readEnum(from, "state", TASK_STATES) ?? "TASK_STATE_UNSPECIFIED";
  const message = readObject(from, "message");
  const time = readTime(from, "timestamp");
  return {
    state,
    ...defined({
      message: message && readMessage(message.record, message.path, MAX_RECEIVED_PARTS),
      timestamp: time === undefined ? undefined : new Date(time).toISOString(),
    }),
  };
}

/**
 * Reads an artifact.
 *
 * @throws {InvalidMember} If the artifact is not valid.
 */
export function readArtifact(value: unknown, path: string): A2aArtifact {
  const from = toProtoObject(value, path);
  return {
    artifactId: requireString(from, "artifactId", 1024),
    parts: readParts(from, MAX_RECEIVED_PARTS),
    ...defined({
      name: readString(from, "name"),
      description: readString(from, "description", 65_536),
      metadata: readJsonObject(from, "metadata"),
      extensions: toOptional(readStrings(from, "extensions")),
    }),
  };
}

/**
 * Reads the response to a message: exactly one of `task` and `message`.
 *
 * @throws {InvalidMember} If the response is not valid.
 */
export function readSendMessageResponse(value: unknown): SendMessageResponse {
  const response = readStreamResponse(value);
  if ("task" in response || "message" in response) return response;
  throw new InvalidMember("response", 'an object with one of "task" and "message"');
}

const PAYLOADS = ["task", "message", "statusUpdate", "artifactUpdate"] as const;

/**
 * Reads a response in a stream: exactly one of `task`, `message`, `statusUpdate` and
 * `artifactUpdate`.
 *
 * @throws {InvalidMember} If the response is not valid.
 */
export function readStreamResponse(value: unknown): StreamResponse {
  const from = toProtoObject(value);
  const [kind, ...rest] = PAYLOADS.filter((name) => memberOf(from, name) !== undefined);
  if (kind === undefined || rest.length > 0) {
    const names = PAYLOADS.map((name) => `"${name}"`).join(", ");
    throw new InvalidMember("response", `an object with one of ${names}`);
  }
  switch (kind) {
    case "task":
      return { task: readTask(memberOf(from, kind)) };
    case "message":
      return { message: readMessage(memberOf(from, kind), kind, MAX_RECEIVED_PARTS) };
    case "statusUpdate":
      return { statusUpdate: readStatusUpdate(requireObject(from, kind)) };
    case "artifactUpdate":
      return { artifactUpdate: readArtifactUpdate(requireObject(from, kind)) };
  }
}

function readStatusUpdate(from: ProtoObject): A2aStatusUpdate {
  return {
    taskId: requireString(from, "taskId", MAX_TASK_ID_LENGTH),
    contextId: requireString(from, "contextId", MAX_CONTEXT_ID_LENGTH),
    status: readStatus(from),
    ...defined({ metadata: readJsonObject(from, "metadata") }),
  };
}

function readArtifactUpdate(from: ProtoObject): A2aArtifactUpdate {
  return {
    taskId: requireString(from, "taskId", MAX_TASK_ID_LENGTH),
    contextId: requireString(from, "contextId", MAX_CONTEXT_ID_LENGTH),
    artifact: readArtifact(memberOf(from, "artifact"), pathOf(from, "artifact")),
    ...readBoolean(from, "append") && { append: true },
    ...readBoolean(from, "lastChunk") && { lastChunk: true },
    ...defined({ metadata: readJsonObject(from, "metadata") }),
  };
}
