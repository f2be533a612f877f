/**
 * The result of a run as one artifact, which grows with each part of the text.
 *
 * @module
 */

import type { LiveEvent } from "../log/live_run.ts";
import type { ServedRun, ServedRunState } from "../serve/contracts.ts";
import { artifactIdOf, toArtifact } from "./task.ts";
import type { A2aArtifact, StreamResponse } from "./types.ts";

/**
 * Converts the events of a run to updates of its artifact: each part of the text extends the
 * artifact, and the text of a further model call replaces it. The last update has `lastChunk`.
 */
export class StreamedArtifact {
  readonly #run: ServedRun;
  /** Text that the client has. `undefined` before the first text. */
  #sent: string | undefined;
  /** Whether the text of the current model call follows the text that the client has. */
  #isOpen = false;
  #isJson = false;

  constructor(run: ServedRun) {
    this.#run = run;
  }

  /** Returns the update for an event. The events of sub-agents are never sent. */
  add(event: LiveEvent["event"]): StreamResponse | undefined {
    if (event.type === "log_reset") this.#isOpen = false;
    if (event.path.length !== 1) return undefined;
    switch (event.type) {
      case "run_started":
        // The text of an agent with an output schema is not its result.
        this.#isJson = event.outputType === "json";
        return undefined;
      case "model_started":
      case "model_retry":
        this.#isOpen = false;
        return undefined;
      case "text_delta":
        return event.text === "" || this.#isJson ? undefined : this.#extend(event.text);
      default:
        return undefined;
    }
  }

  #extend(text: string): StreamResponse {
    const append = this.#isOpen;
    this.#sent = append ? (this.#sent ?? "") + text : text;
    this.#isOpen = true;
    return this.#update(this.#textOf(text), append ? { append } : {});
  }

  /** Returns the last update. `undefined` if the client has no artifact, and needs none. */
  finish(state: ServedRunState): StreamResponse | undefined {
    if (state.status !== "done") return undefined;
    const artifact = toArtifact(this.#run, state);
    if (artifact === undefined) {
      // An artifact cannot be removed, so the text of an earlier model call is replaced.
      return this.#sent === undefined ? undefined : this.#update(this.#textOf(""), LAST);
    }
    const [part, ...rest] = artifact.parts;
    const isSent = this.#isOpen && rest.length === 0 && part !== undefined && "text" in part &&
      part.text === this.#sent;
    // An artifact must have a part, so the last update of a text that was sent is empty.
    return isSent
      ? this.#update(this.#textOf(""), { append: true, ...LAST })
      : this.#update(artifact, LAST);
  }

  #textOf(text: string): A2aArtifact {
    return { artifactId: artifactIdOf(this.#run), name: "answer", parts: [{ text }] };
  }

  #update(
    artifact: A2aArtifact,
    flags: { readonly append?: true; readonly lastChunk?: true },
  ): StreamResponse {
    const { id, sessionId } = this.#run;
    return { artifactUpdate: { taskId: id, contextId: sessionId, artifact, ...flags } };
  }
}

const LAST = { lastChunk: true } as const;
