/**
 * The web page of the example: the run viewer, which shows kills as notes.
 *
 * @module
 */

import { type OpenViewer, openViewer } from "../../tools/viewer/open_viewer.ts";
import type { ClusterEvent } from "./events.ts";
import { describeProof, isProven, type Proof } from "./proof.ts";
import { THINKING_MS } from "./stock_model.ts";

/** A page that shows a cluster. */
export interface Page {
  /** URL of the page that shows the cluster. */
  readonly url: string;
  /** Shows an event. */
  readonly show: (event: ClusterEvent) => void;
  /**
   * Shows the counts that prove that no run or message was lost. Resolves when the signal is
   * aborted.
   */
  readonly end: (proof: Proof) => Promise<void>;
}

/** Serves the page. */
export function openPage(title: string, signal: AbortSignal): Page {
  const note = `The embedded model takes ${THINKING_MS} ms for each response.`;
  const viewer: OpenViewer = openViewer({ title, note, signal });
  return {
    url: viewer.url,
    show: (event) => {
      const shown = toPageEvent(event);
      if (shown !== undefined) viewer.emit(shown);
    },
    end: (proof) => {
      const text = describeProof(proof).join("\n");
      const isError = !isProven(proof);
      viewer.emit({ type: isError ? "note" : "answer", at: Date.now(), text, isError });
      return viewer.finish();
    },
  };
}

/**
 * Returns the event for the page, or `undefined` if the page does not show it. The page omits
 * effects and responses, because it already shows the calls and messages behind them, and shows
 * only the process states `ready` and `killed`.
 */
function toPageEvent(event: ClusterEvent): unknown {
  const { at, process: name, state, text, type } = event;
  switch (type) {
    case "responded":
    case "effect":
      return undefined;
    case "problem":
      return { type: "note", at, name, text, isError: true };
    case "process":
      if (state !== "ready" && state !== "killed") return undefined;
      return { type: "note", at, name, text: state, isError: state === "killed" };
    default:
      return event;
  }
}
