/**
 * The state and the result of a task of another agent, as a client receives them.
 *
 * @module
 */

import { truncate } from "@parley/internal/escape-text";
import type { JsonValue } from "../shared/json.ts";
import type { A2aArtifact, A2aPart, A2aTaskState, A2aTaskStatus, StreamResponse } from "./types.ts";

/** Content of an artifact: text, or JSON data. */
type Piece = string | { readonly data: JsonValue };

/** States in which a task continues without its client. */
const OPEN: ReadonlySet<A2aTaskState> = new Set<A2aTaskState>([
  "TASK_STATE_UNSPECIFIED",
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
]);

/**
 * A task of another agent, which is updated from the responses of the agent. Stores at most a given
 * number of characters of its artifacts.
 */
export class RemoteTask {
  #id: string | undefined;
  #state: A2aTaskState = "TASK_STATE_UNSPECIFIED";
  #explanation = "";
  /** Contents of the artifacts, by their ids. */
  readonly #artifacts = new Map<string, Piece[]>();
  readonly #maxChars: number;
  #chars = 0;
  #isTruncated = false;

  /**
   * Creates a task without content.
   *
   * @param maxChars Maximum length of all artifacts, in UTF-16 code units.
   */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Id of the task. `undefined` before the first response, and for an agent without tasks. */
  get id(): string | undefined {
    return this.#id;
  }

  /** State of the task, for example `input_required`. */
  get state(): string {
    return this.#state.slice("TASK_STATE_".length).toLowerCase();
  }

  /** Text with which the agent explains the state, or an empty text. */
  get explanation(): string {
    return this.#explanation;
  }

  /** Whether the task continues without its client. */
  get isOpen(): boolean {
    return OPEN.has(this.#state);
  }

  /** Whether there is more content than is stored. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Applies a response of the agent. Returns `true` if it has changed the state. */
  apply(response: StreamResponse): boolean {
    if ("message" in response) {
      this.#replace("message", response.message.parts);
      return this.#enter({ state: "TASK_STATE_COMPLETED" });
    }
    if ("task" in response) {
      const { artifacts = [], id, status } = response.task;
      this.#id = id;
      // The text of an earlier model call is not an artifact of a task that has ended.
      this.#artifacts.clear();
      this.#chars = 0;
      this.#isTruncated = false;
      for (const { artifactId, parts } of artifacts) this.#replace(artifactId, parts);
      return this.#enter(status);
    }
    if ("statusUpdate" in response) {
      this.#id = response.statusUpdate.taskId;
      return this.#enter(response.statusUpdate.status);
    }
    const { append = false, artifact, taskId } = response.artifactUpdate;
    this.#id = taskId;
    this.#update(artifact, append);
    return false;
  }

  /**
   * Returns the result: the data of an agent that returns only data, otherwise text. Returns
   * `undefined` for a task without a result.
   */
  result(): JsonValue | undefined {
    const artifacts = [...this.#artifacts.values()].filter(({ length }) => length > 0);
    const pieces = artifacts.flat();
    const data = pieces.flatMap((piece) => typeof piece === "string" ? [] : [piece.data]);
    const [first, ...more] = data;
    if (first !== undefined && data.length === pieces.length && !this.#isTruncated) {
      return more.length === 0 ? first : data;
    }
    const text = artifacts.map((each) => each.map(toText).join("")).join("\n\n");
    return text === "" ? this.#explanation || undefined : text;
  }

  #enter({ message, state }: A2aTaskStatus): boolean {
    const hasChanged = state !== this.#state;
    this.#state = state;
    const parts = message?.parts ?? [];
    this.#explanation = parts.map((part) => "text" in part ? part.text : "").join("");
    return hasChanged;
  }

  #update({ artifactId, parts }: A2aArtifact, append: boolean): void {
    if (append) this.#add(artifactId, parts);
    else this.#replace(artifactId, parts);
  }

  #replace(artifactId: string, parts: readonly A2aPart[]): void {
    for (const piece of this.#artifacts.get(artifactId) ?? []) this.#chars -= toText(piece).length;
    this.#artifacts.delete(artifactId);
    // Most agents have one artifact, so that its replacement is complete again.
    if (this.#artifacts.size === 0) this.#isTruncated = false;
    this.#add(artifactId, parts);
  }

  #add(artifactId: string, parts: readonly A2aPart[]): void {
    for (const part of parts) {
      const piece = toPiece(part);
      const text = toText(piece);
      const left = this.#maxChars - this.#chars;
      if (text.length > left) this.#isTruncated = true;
      const kept = text.length > left && typeof piece === "string" ? truncate(piece, left) : piece;
      const size = toText(kept).length;
      // An endless stream of empty parts needs no memory.
      if (size === 0 || size > left) continue;
      this.#chars += size;
      this.#store(artifactId, kept);
    }
  }

  #store(artifactId: string, piece: Piece): void {
    const pieces = this.#artifacts.get(artifactId) ?? [];
    this.#artifacts.set(artifactId, pieces);
    const last = pieces.at(-1);
    if (typeof piece === "string" && typeof last === "string") pieces.splice(-1, 1, last + piece);
    else pieces.push(piece);
  }
}

/** Models read text, so a file is replaced with its name, its type and its URL. */
function toPiece(part: A2aPart): Piece {
  if ("text" in part) return part.text;
  if ("data" in part) return { data: part.data };
  const { filename = "file", mediaType } = part;
  const name = mediaType === undefined ? filename : `${filename} (${mediaType})`;
  return "url" in part ? `[${name}](${part.url})` : `[${name}]`;
}

function toText(piece: Piece): string {
  return typeof piece === "string" ? piece : JSON.stringify(piece.data);
}
