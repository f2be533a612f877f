/**
 * Collects the events of a recording.
 *
 * @module
 */

import { readJson } from "../kit/json.ts";
import { KIT_VERSION } from "../runner/version.ts";
import type { RecordedEvent, Recording, RecordingHeader } from "./format.ts";
import type { Redactor } from "./redact.ts";

/** Members of the recording's header that the caller provides. */
export type RecordingSource = Omit<RecordingHeader, "recording" | "tool" | "at" | "redacted">;

/** Default of the maximum size of a recording, in characters. */
const MAX_CHARS = 268_435_456;

/** Collects events and creates the recording. */
export class Recorder {
  readonly #start: number = performance.now();
  readonly #at: string = new Date().toISOString();
  readonly #events: RecordedEvent[] = [];
  readonly #redactor: Redactor;
  readonly #maxChars: number;
  #chars = 0;
  #isTruncated = false;

  /**
   * Creates a recorder.
   *
   * @param redactor Removes secrets before an event is stored.
   * @param maxChars Maximum size of the events in JSON, in characters. An event that would exceed
   * this size, and all later events, are not recorded.
   */
  constructor(redactor: Redactor, maxChars: number = MAX_CHARS) {
    this.#redactor = redactor;
    this.#maxChars = maxChars;
  }

  /** Adds an event, unless the recording is truncated. */
  add(event: Omit<RecordedEvent, "t">): void {
    if (this.#isTruncated) return;
    const t = Math.round((performance.now() - this.#start) * 10) / 10;
    const cleaned = this.#redactor.clean({ t, ...event });
    this.#chars += JSON.stringify(cleaned).length;
    if (this.#chars > this.#maxChars) this.truncate();
    else this.#events.push(cleaned);
  }

  /** Ends the recording before its limit is exceeded. Later events are not recorded. */
  truncate(): void {
    this.#isTruncated = true;
  }

  /** Adds a line of standard input or output, without its line feed. */
  addLine(dir: "c2s" | "s2c", bytes: Uint8Array): void {
    this.add({ dir, ...readLine(bytes) });
  }

  /**
   * Returns a recording of all events added so far. Secrets are also removed from the command and
   * the URL.
   */
  finish({ command, url, ...source }: RecordingSource): Recording {
    const redactor = this.#redactor;
    const cleaned = {
      ...(command === undefined ? {} : { command: command.map((word) => redactor.url(word)) }),
      ...(url === undefined ? {} : { url: redactor.url(url) }),
    };
    const { count } = redactor;
    return {
      header: {
        recording: 1,
        tool: `parley-kit ${KIT_VERSION}`,
        at: this.#at,
        ...source,
        ...cleaned,
        ...(count > 0 ? { redacted: count } : {}),
        ...(this.#isTruncated ? { truncated: true } : {}),
      },
      events: [...this.#events],
    };
  }
}

/** Represents a line in JSON without losing information. */
function readLine(bytes: Uint8Array): Pick<RecordedEvent, "msg" | "raw" | "hex"> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const parsed = readJson(text);
    // A line is stored as a message only if the serialized message is equal to the line.
    const isExact = parsed !== undefined && JSON.stringify(parsed.value) === text;
    return isExact ? { msg: parsed.value } : { raw: text };
  } catch {
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return { hex };
  }
}
