/**
 * Tasks, as a view of runs.
 *
 * @module
 */

import { encodeBase64 } from "@parley/internal/base64";
import type { ServedRun, ServedRunState } from "../serve/contracts.ts";
import { isJsonValue, type JsonObject } from "../shared/json.ts";
import type { FilePart } from "../shared/model.ts";
import { A2A_APPROVALS } from "./extensions.ts";
import { historyOf } from "./message_turn.ts";
import { explainState, toTaskState } from "./task_state.ts";
import type { A2aArtifact, A2aMessage, A2aPart, A2aTask, A2aTaskStatus } from "./types.ts";

/** Content of a task that a client has asked for. */
export interface TaskView {
  /** Number of messages, from the end. `undefined` returns all of them. */
  readonly historyLength?: number | undefined;
  /** Whether the task contains its artifacts. */
  readonly withArtifacts?: boolean;
  /** Whether the status lists the tool calls that the caller can approve. */
  readonly withApprovals?: boolean;
}

/** The part of a run that a task shows. */
export type TaskRun = Pick<ServedRun, "id" | "metadata" | "sessionId" | "state">;

/** Returns a run with a later state. */
export function withState({ id, metadata, sessionId }: TaskRun, state: ServedRunState): TaskRun {
  return { id, metadata, sessionId, state };
}

/** Returns the task of a run. */
export function toTask(run: TaskRun, view: TaskView = {}): A2aTask {
  const { historyLength, withArtifacts = true, withApprovals = false } = view;
  const history = historyLength === 0 ? [] : historyOf(run).slice(-(historyLength ?? Infinity));
  const artifact = withArtifacts ? toArtifact(run, run.state) : undefined;
  return {
    id: run.id,
    contextId: run.sessionId,
    status: toStatus(run, run.state, withApprovals),
    ...artifact !== undefined && { artifacts: [artifact] },
    ...history.length > 0 && { history },
  };
}

/** Returns the status of a task. */
export function toStatus(
  run: TaskRun,
  runState: ServedRunState,
  withApprovals = false,
): A2aTaskStatus {
  const state = toTaskState(runState);
  const timestamp = new Date(runState.updatedAt).toISOString();
  const text = explainState(runState);
  if (text === undefined) return { state, timestamp };
  const pending = withApprovals ? pendingOf(runState) : [];
  const message: A2aMessage = {
    messageId: `${run.id}/status/${runState.updatedAt}`,
    role: "ROLE_AGENT",
    parts: [{ text }],
    taskId: run.id,
    contextId: run.sessionId,
    ...pending.length > 0 &&
      { metadata: { [A2A_APPROVALS]: { pending } }, extensions: [A2A_APPROVALS] },
  };
  return { state, message, timestamp };
}

function pendingOf({ waitingFor }: ServedRunState): readonly JsonObject[] {
  return waitingFor.flatMap((wait) =>
    wait.kind === "approval" ? [{ key: wait.key, toolName: wait.toolName, input: wait.input }] : []
  );
}

/** Returns the id of the artifact that contains the result of a run. */
export function artifactIdOf({ id }: TaskRun): string {
  return `${id}/answer`;
}

/** Returns the artifact of a run that is done. `undefined` for an empty result. */
export function toArtifact(run: TaskRun, { result }: ServedRunState): A2aArtifact | undefined {
  if (result === undefined) return undefined;
  const { finalText, message, value } = result;
  const parts: A2aPart[] = [];
  if (value !== undefined && isJsonValue(value)) {
    parts.push({ data: value, mediaType: "application/json" });
  } else if (finalText !== "") {
    parts.push({ text: finalText });
  }
  for (const part of message?.content ?? []) if (part.type === "file") parts.push(toFile(part));
  return parts.length === 0 ? undefined : { artifactId: artifactIdOf(run), name: "answer", parts };
}

function toFile({ data, filename, mediaType }: FilePart): A2aPart {
  const details = { mediaType, ...filename !== undefined && { filename } };
  if (data.type === "url") return { url: data.url.href, ...details };
  const raw = typeof data.data === "string" ? data.data : encodeBase64(data.data);
  return { raw, ...details };
}
